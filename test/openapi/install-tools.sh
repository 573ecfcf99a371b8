#!/usr/bin/env bash
# Installs what the tests of test/openapi need into the folder that is given: linters of OpenAPI and generators of clients.
set -euo pipefail
folder=$1
mkdir -p "$folder/npm" "$folder/go"
begin_npm() {
  npm install --silent --no-audit --no-fund --prefix "$folder/npm" @redocly/cli@2.77.0 @stoplight/spectral-cli@6.16.3 \
    openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3
}
# The modules are compiled when they are used: most of them never are.
begin_python() {
  python3 -m venv "$folder/python" && "$folder/python/bin/pip" install --quiet --no-compile openapi-python-client==0.29.1
}
# Without optimisation, and one build at a time, so that packages that the programs share are compiled once.
begin_go() {
  GOBIN=$folder/go/bin flock "${TMPDIR:-/tmp}/lectern-go-build.lock" \
    go install -gcflags='all=-N -l' -ldflags='-s -w' github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2
}
begin_npm & npm_pid=$!
begin_python & python_pid=$!
begin_go & go_pid=$!
wait "$npm_pid" && wait "$python_pid" && wait "$go_pid"
