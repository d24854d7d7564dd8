#!/bin/sh
# Drill: upgrade, return to the former version, and upgrade again, on one database. Without --yes it changes nothing.
# Run it on a copy of the installation: the migrations of the new version stay.
#   PUBLIC_URLS     the public listeners of all instances of the former version, separated by spaces
#   INTERNAL_URLS   their internal listeners
#   OPERATOR_TOKEN
#   KEY             an API key of the plan Builder or Pro
#   UPGRADE, BACK   commands that replace one instance after the other by the new and by the former version, and then end
. "$(dirname "$0")/drill.sh"
needs PUBLIC_URLS 'the public listeners of all instances, separated by spaces'
needs INTERNAL_URLS 'the internal listeners of all instances, separated by spaces'
needs OPERATOR_TOKEN 'the token of operators'
needs KEY 'an API key of the plan Builder or Pro'
needs UPGRADE 'a command that replaces all instances by the new version'
needs BACK 'a command that replaces all instances by the former version'
need_running
needs_yes 'runs UPGRADE, BACK and UPGRADE, and opens an account on the copy' "$@"

internal=${INTERNAL_URLS%% *}
first=${PUBLIC_URLS%% *}
# ids: the newest items.
ids() {
  request "$KEY" GET "$first/pm/v2/news?limit=20"
  expect 200 'the newest items'
  printf '%s' "$body" | sed 's/"news_event":{"id":/\n&/g' | sed -n 's/^"news_event":{"id":"\([^"]*\)".*/\1/p'
}
# ready_with TEXT: after a change of the version.
ready_with() {
  for url in $INTERNAL_URLS; do until_ready "$url" ready; done
  [ "$(ids)" = "$before" ] || failed "$1: the newest items are not those from before the drill"
  passed "$1: every instance is ready, with the same items"
}
before=$(ids)
[ -n "$before" ] || failed 'the feed is empty: publish items first'

start_reading any
trap 'touch "$reading/stop"' EXIT
step 'upgrades one instance after the other'
run UPGRADE
ready_with 'after the upgrade'
accounts=$internal/internal/v1/accounts
request "$OPERATOR_TOKEN" POST "$accounts" "{\"email\":\"drill-$(date +%s)-$$@example.com\",\"plan\":\"pro\"}"
expect 201 'an account of the new version'
account=$(field account_id)
request "$OPERATOR_TOKEN" POST "$accounts/$account/keys"
expect 201 'a key of the new version'
key=$(field key)

step 'starts the former version again'
run BACK
ready_with 'back'
for url in $PUBLIC_URLS; do
  request "$key" GET "$url/pm/v2/news?limit=1"
  expect 200 "a key of the new version at $url"
done
passed 'the former version reads what the new one has written'

step 'upgrades again'
run UPGRADE
ready_with 'after the second upgrade'
request "$OPERATOR_TOKEN" DELETE "$accounts/$account"
case $status in
  200 | 204) passed 'the account of the drill is deleted' ;;
  *) failed "the account of the drill could not be deleted: $status. $body" ;;
esac
trap - EXIT
stop_reading 'during all changes of the version, from at least one instance'
