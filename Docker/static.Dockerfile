# EchoServer and nothing else, in the smallest image: Swift's runtime, liburing and OpenSSL are
# linked into the program, and the C library lies beside it. There is no shell in it.
#
#   docker build -f Docker/static.Dockerfile -t echo-server .

FROM swift:6.3-bookworm AS build
RUN export DEBIAN_FRONTEND=noninteractive \
    && apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends liburing-dev libssl-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build

COPY Package.swift ./
COPY Samples/Package.swift Samples/
RUN swift package --package-path Samples resolve

COPY Sources Sources
COPY Plugins Plugins
COPY Samples Samples
COPY Tests Tests
# SwiftPM asks pkg-config for the libraries' folder: this one has only archives. Here as everywhere,
# the linker prefers a shared library if a folder has both.
RUN mkdir /archives && for library in liburing libssl libcrypto openssl; do \
        sed 's|^libdir=.*|libdir=/archives|' /usr/lib/*/pkgconfig/$library.pc >/archives/$library.pc \
        && ln -s /usr/lib/*/$library.a /archives || exit 1; \
    done
RUN PKG_CONFIG_PATH=/archives swift build --package-path Samples -c release --traits TLS \
        --static-swift-stdlib --disable-automatic-resolution --product EchoServer -Xlinker --strip-all
# What is still shared: the C library, and libstdc++ for Swift's runtime.
RUN program=Samples/.build/release/EchoServer && install -D -t /image/usr/local/bin $program \
    && ldd $program | grep -o '/[^ ]*' | xargs cp --parents --dereference -t /image

FROM scratch
COPY --from=build /image/ /
ENV PATH=/usr/local/bin
USER 10001:10001
EXPOSE 7007/tcp 7007/udp 9100/tcp
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=2s \
    CMD ["EchoServer", "--host", "0.0.0.0", "--port", "7007", "--udp", "--http-port", "9100", "--check"]
CMD ["EchoServer", "--host", "0.0.0.0", "--port", "7007", "--udp", "--http-port", "9100"]
