#!/usr/bin/env bash
# digests.sh TOOL [ARGUMENT…]: the lines of Scenarios/digests.txt, as TOOL run gives them: a scenario and its digest.
# The tool says what the digest of a scenario is; this only picks it.
set -euo pipefail
tool=$1
shift
"$tool" run "${@:-Scenarios}" --format json | python3 -c '
import json, sys
lines = [json.loads(line) for line in sys.stdin]
for one in sorted((o["scenario"], o["digest"]) for o in lines if o.get("kind") == "scenario"):
    print(*one)'
