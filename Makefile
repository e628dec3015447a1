# Two commands for a bare Debian 12 with Rust: `make demo` and `make test`. Both install what is missing first.

# What Selvedge is built with and checks programs with (clang, LLVM), and what its tests feed it (csmith, other build tools).
PACKAGES := gcc libc6-dev libstdc++-12-dev libc++-22-dev libc++abi-22-dev valgrind clang-22 libclang-rt-22-dev llvm-22-dev libpolly-22-dev lld-22 libz3-dev csmith libcsmith-dev make cmake meson nats-server openssl

SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.PHONY: help setup build demo test site deb

help:
	@echo "make demo   check real code: the thread pool of zstd, then the same with one deliberate mistake, then larger by cutoffs; the decoder of LZ4; a program that keeps to a set of schedules"
	@echo "make test   all tests"
	@echo "make build  the command, optimised: target/release/selvedge"
	@echo "make site   the documents as a site: target/site (mdBook)"
	@echo "make deb    the Debian package: target/selvedge_VERSION_amd64.deb"
	@echo "make setup  install the Debian packages that are missing (the others do this first)"

setup:
	@missing=""; \
	for package in $(PACKAGES); do \
	  dpkg-query -W -f='$${db:Status-Status}\n' $$package 2>/dev/null | grep -qx installed || missing="$$missing $$package"; \
	done; \
	[ -z "$$missing" ] && exit 0; \
	echo "installing:$$missing"; \
	export DEBIAN_FRONTEND=noninteractive; \
	$(SUDO) apt-get install -y -q --no-install-recommends $$missing || { \
	  $(SUDO) apt-get update -q && $(SUDO) apt-get install -y -q --no-install-recommends $$missing; }

build: setup
	cargo build --release --package selvedge

demo: build
	cargo xtask demo

test: setup
	cargo xtask test

site:
	cargo xtask site

deb: build
	cargo xtask deb
