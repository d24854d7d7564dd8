#!/bin/sh
# Drill: the operator token is replaced on all instances. Without --yes it changes nothing.
#   INTERNAL_URLS       the internal listeners of all instances, separated by spaces
#   OPERATOR_TOKEN      the present token
#   NEW_OPERATOR_TOKEN  the new token; `openssl rand -hex 24` generates one
#   RESTART             a command that restarts all instances with OPERATOR_TOKEN of its environment, and then ends
. "$(dirname "$0")/drill.sh"
needs INTERNAL_URLS 'the internal listeners of all instances, separated by spaces'
needs OPERATOR_TOKEN 'the present token of operators'
needs NEW_OPERATOR_TOKEN 'the new token of operators'
needs RESTART 'a command that restarts all instances with the OPERATOR_TOKEN of its environment'
[ "$OPERATOR_TOKEN" != "$NEW_OPERATOR_TOKEN" ] || failed 'NEW_OPERATOR_TOKEN is the present token'
path=/internal/v1/payment-events?state=failed

for url in $INTERNAL_URLS; do
  request "$OPERATOR_TOKEN" GET "$url$path"
  expect 200 "the present token at $url"
  request "$NEW_OPERATOR_TOKEN" GET "$url$path"
  expect 401 "the new token at $url, before the change"
done
passed 'every instance accepts only the present token'
needs_yes 'runs RESTART with the new token, and checks every instance' "$@"

step 'restarts all instances with the new token'
OPERATOR_TOKEN=$NEW_OPERATOR_TOKEN sh -c "$RESTART" || failed 'RESTART ended with an error'
for url in $INTERNAL_URLS; do
  until_status 200 '' GET "$url/readyz"
  # Only once: an instance limits the wrong tokens of an address.
  request "$NEW_OPERATOR_TOKEN" GET "$url$path"
  expect 200 "the new token at $url"
  request "$OPERATOR_TOKEN" GET "$url$path"
  expect 401 "the former token at $url"
done
passed 'every instance accepts only the new token'
step 'give the new token to the programs and people that use it. Sessions of the former token in the console have ended'
