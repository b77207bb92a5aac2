# The samples in one image, on Debian: docker build -t ring-dispatch .
# How to run it, and how to allow io_uring in it: Docs/containers.md

FROM swift:6.3-bookworm AS build
RUN export DEBIAN_FRONTEND=noninteractive \
    && apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends liburing-dev libssl-dev pkg-config \
        libsqlite3-dev libcurl4-openssl-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build

# The dependencies follow from the manifests alone: a change of the sources fetches nothing again.
COPY Package.swift ./
COPY Samples/Package.swift Samples/
COPY Samples/NotesServer/Package.swift Samples/NotesServer/
RUN swift package --package-path Samples resolve \
    && swift package --package-path Samples/NotesServer resolve

COPY Sources Sources
COPY Plugins Plugins
COPY Samples Samples
# Not compiled, but SwiftPM requires each target's folder.
COPY Tests Tests
ARG PRODUCTS="EchoServer ChatServer FileWatchServer KeyValueServer Proxy GCDEcho ringload"
RUN for product in $PRODUCTS; do \
        swift build --package-path Samples -c release --traits TLS --static-swift-stdlib \
            --disable-automatic-resolution --product "$product" || exit 1; \
    done
COPY Docker/link-programs Docker/
RUN Docker/link-programs Samples/.build/release /programs $PRODUCTS
# A package of its own, for its dependencies.
RUN swift build --package-path Samples/NotesServer -c release --static-swift-stdlib \
        --disable-automatic-resolution -Xlinker --icf=all -Xlinker --strip-all \
    && cp Samples/NotesServer/.build/release/NotesServer /programs/

FROM debian:bookworm-slim
RUN export DEBIAN_FRONTEND=noninteractive \
    && apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends ca-certificates liburing2 libssl3 libstdc++6 \
        libsqlite3-0 libcurl4 \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/log/apt /var/log/dpkg.log \
        /var/cache/debconf/*-old \
    && useradd --uid 10001 --no-create-home --home-dir /nonexistent \
        --shell /usr/sbin/nologin ring \
    && install -d -o 10001 -g 10001 /var/lib/notes
COPY --from=build /programs/ /usr/local/bin/
COPY Docker/check-health /usr/local/bin/

LABEL org.opencontainers.image.title="ring-dispatch" \
    org.opencontainers.image.description="Servers on Grand Central Dispatch for io_uring, and a load client" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim"
# The sources that the image is built from: --build-arg REVISION=$(git rev-parse HEAD)
ARG VERSION=""
ARG REVISION=""
LABEL org.opencontainers.image.version="$VERSION" org.opencontainers.image.revision="$REVISION"

# A number, so that an orchestrator can tell that it is not root.
USER 10001:10001
# EchoServer and its metrics; FileWatchServer and its page; KeyValueServer; NotesServer.
EXPOSE 7007/tcp 7007/udp 9100/tcp 7008/tcp 8088/tcp 6380/tcp 8086/tcp
# The servers then send their clients what is left for them: NotesServer for 10 s at most (--drain),
# the others for 5 s. `docker stop` kills after 10 s.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=2s CMD ["check-health"]
# No entry point: a command after the image's name replaces this one. Nobody outside can reach a
# container's 127.0.0.1, hence 0.0.0.0.
CMD ["EchoServer", "--host", "0.0.0.0", "--port", "7007", "--udp", "--http-port", "9100"]
