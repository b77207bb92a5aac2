# Sourced by the other scripts. Prepares a machine for building the package.
# `ring_setup` checks for Swift 6.2 or later, and installs missing packages: liburing's headers (2.3
# or later) and pkg-config (with apt-get, as root or through sudo without a password). If it cannot,
# it names the missing packages and returns 1. It prints nothing if nothing is missing.
# `ring_setup tls` also requires OpenSSL's headers, for builds with the trait TLS.

ring_setup() {
    ring_setup_swift && ring_setup_packages "$@"
}

ring_setup_swift() {
    if ! command -v swift >/dev/null 2>&1; then
        echo "setup: no swift command found." >&2
        echo "setup: install Swift 6.2 or later and put it in PATH:" >&2
        echo "    https://www.swift.org/install/linux" >&2
        return 1
    fi
    local version major minor
    version=$(swift --version 2>/dev/null |
        sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
    major=${version%%.*}
    minor=${version#*.}
    if [ -z "$version" ]; then
        echo "setup: 'swift --version' does not work; run it to see why." >&2
        return 1
    fi
    if [ "$major" -lt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -lt 2 ]; }; then
        echo "setup: Swift $version is too old: install 6.2 or later:" >&2
        echo "    https://www.swift.org/install/linux" >&2
        return 1
    fi
}

ring_setup_packages() {
    local missing=()
    command -v pkg-config >/dev/null 2>&1 || missing+=(pkg-config)
    if ! ring_has 'liburing >= 2.3' liburing.h; then missing+=(liburing-dev); fi
    if [ "${1:-}" = tls ] && ! ring_has openssl openssl/ssl.h; then missing+=(libssl-dev); fi
    [ ${#missing[@]} -gt 0 ] || return 0

    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then as_root=(sudo -n); fi
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "setup: missing, or too old: ${missing[*]}, and no apt-get. Install the" >&2
        echo "setup: development files and pkg-config with your package manager:" >&2
        echo "    Fedora: dnf install liburing-devel openssl-devel pkgconf-pkg-config" >&2
        echo "    Arch:   pacman -S liburing openssl pkgconf" >&2
        return 1
    fi
    if [ "$(id -u)" -ne 0 ] && ! sudo -n true >/dev/null 2>&1; then
        echo "setup: missing, or too old: ${missing[*]}. Install them, then run this again:" >&2
        echo "    sudo apt-get update && sudo apt-get install -y ${missing[*]}" >&2
        return 1
    fi
    echo "setup: installing ${missing[*]}" >&2
    # A fresh image has no package lists; with lists, no update is necessary.
    if ! ring_apt_install >/dev/null 2>&1; then
        if ! "${as_root[@]}" apt-get update -qq >&2 || ! ring_apt_install >&2; then
            echo "setup: could not install ${missing[*]}. Try it by hand:" >&2
            echo "    sudo apt-get update && sudo apt-get install -y ${missing[*]}" >&2
            return 1
        fi
    fi
    if ! ring_has 'liburing >= 2.3' liburing.h; then
        echo "setup: liburing is too old: version 2.3 or later is necessary." >&2
        return 1
    fi
}

# Uses `as_root` and `missing` of ring_setup_packages.
ring_apt_install() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# ring_has PKG_CONFIG_NAME HEADER: without pkg-config, whether there is the header.
ring_has() {
    if command -v pkg-config >/dev/null 2>&1; then
        pkg-config --exists "$1"
    else
        [ -e "/usr/include/$2" ]
    fi
}
