# Heddle in a container: `docker build -t heddle .`, then `docker run --rm -v "$PWD:/work" heddle run KERNEL.cl ...`.
FROM debian:12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
    gcc libc6-dev meson ninja-build pkg-config python3 clang-19 libclc-19 \
    libelf-dev libyaml-dev libjansson-dev liblz4-dev libzstd-dev zlib1g-dev libsqlite3-dev opencl-headers ocl-icd-opencl-dev && rm -rf /var/lib/apt/lists/*
COPY . /heddle
WORKDIR /heddle
RUN meson setup /build --prefix=/usr -Dtests=disabled && ninja -C /build && DESTDIR=/root-of-image meson install -C /build --no-rebuild

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends \
    clang-19 libclc-19 llvm-spirv-14 libelf1 libyaml-0-2 libjansson4 liblz4-1 libzstd1 zlib1g libsqlite3-0 ocl-icd-libopencl1 && rm -rf /var/lib/apt/lists/*
COPY --from=build /root-of-image /
WORKDIR /work
ENTRYPOINT ["heddle"]
CMD ["--help"]
