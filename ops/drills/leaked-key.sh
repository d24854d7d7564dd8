#!/bin/sh
# Drill: an API key was disclosed. Opens an account for the drill with two keys, revokes one of them as after a disclosure,
# and checks that every instance refuses it within REVOKED_WITHIN_SECONDS and still accepts the other. Deletes the account.
#   PUBLIC_URLS     the public listeners of all instances, separated by spaces
#   INTERNAL_URL    the internal listener of one instance
#   OPERATOR_TOKEN
. "$(dirname "$0")/drill.sh"
REVOKED_WITHIN_SECONDS=${REVOKED_WITHIN_SECONDS:-2}
needs PUBLIC_URLS 'the public listeners of all instances, separated by spaces'
needs INTERNAL_URL 'the internal listener of one instance'
needs OPERATOR_TOKEN 'the token of operators'
accounts=$INTERNAL_URL/internal/v1/accounts

step 'opens an account and issues two keys'
request "$OPERATOR_TOKEN" POST "$accounts" "{\"email\":\"drill-$(date +%s)-$$@example.com\",\"plan\":\"pro\"}"
expect 201 'an account for the drill'
account=$(field account_id)
trap 'request "$OPERATOR_TOKEN" DELETE "$accounts/$account"' EXIT
request "$OPERATOR_TOKEN" POST "$accounts/$account/keys" '{"label":"disclosed"}'
expect 201 'the key that is disclosed'
disclosed=$(field key) disclosed_id=$(field key_id)
request "$OPERATOR_TOKEN" POST "$accounts/$account/keys" '{"label":"replacement"}'
expect 201 'its replacement'
replacement=$(field key)
for url in $PUBLIC_URLS; do
  for key in "$disclosed" "$replacement"; do until_status 200 "$key" GET "$url/pm/v2/news?limit=1"; done
done
passed 'every instance accepts both keys'

step 'revokes the disclosed key'
request "$OPERATOR_TOKEN" POST "$INTERNAL_URL/internal/v1/keys/$disclosed_id/revoke" \
  '{"cause":"manual","reason":"drill: the key was disclosed"}'
expect 200 'the revocation'
WAIT_SECONDS=$REVOKED_WITHIN_SECONDS
for url in $PUBLIC_URLS; do until_status 401 "$disclosed" GET "$url/pm/v2/news?limit=1"; done
passed "every instance refuses the disclosed key within $REVOKED_WITHIN_SECONDS s"
for url in $PUBLIC_URLS; do
  request "$replacement" GET "$url/pm/v2/news?limit=1"
  expect 200 "the replacement at $url"
done
passed 'every instance accepts the replacement'

request "$OPERATOR_TOKEN" GET "$INTERNAL_URL/internal/v1/keys/$disclosed_id"
case $body in
  *'drill: the key was disclosed'*) passed 'the audit log has the revocation with its reason' ;;
  *) failed "the audit log of the key has no revocation. $body" ;;
esac
