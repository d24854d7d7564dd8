#!/bin/sh
# Drill: the secret of webhooks is replaced on all instances. Without --yes it changes nothing.
#   PUBLIC_URLS            the public listeners of all instances, separated by spaces
#   STRIPE_WEBHOOK_SECRET  the present secret
#   NEW_WEBHOOK_SECRET     the new secret, from the payment processor
#   RESTART                a command that restarts all instances with STRIPE_WEBHOOK_SECRET of its environment, and then ends
#   DISCLOSED              `yes`: the present secret was disclosed, and stops to work at once. Otherwise both work,
#                          because references of checkouts are valid for 7 days: then run the drill again with DISCLOSED=yes
. "$(dirname "$0")/drill.sh"
DISCLOSED=${DISCLOSED:-no}
needs PUBLIC_URLS 'the public listeners of all instances, separated by spaces'
needs STRIPE_WEBHOOK_SECRET 'the present secret of webhooks'
needs NEW_WEBHOOK_SECRET 'the new secret of webhooks'
needs RESTART 'a command that restarts all instances with the STRIPE_WEBHOOK_SECRET of its environment'
[ "$STRIPE_WEBHOOK_SECRET" != "$NEW_WEBHOOK_SECRET" ] || failed 'NEW_WEBHOOK_SECRET is the present secret'

# deliver SECRET URL: sends an event of a type that the service ignores. Node signs it, because the secret would be an
# argument of other programs.
deliver() {
  seconds=$(date +%s)
  event="{\"id\":\"evt_drill_${seconds}_$$\",\"object\":\"event\",\"type\":\"drill.webhook_secret\",\"created\":$seconds,\"livemode\":false,\"data\":{\"object\":{}}}"
  signature=$(SECRET=$1 SIGNED="$seconds.$event" node -e \
    'process.stdout.write(require("crypto").createHmac("sha256", process.env.SECRET).update(process.env.SIGNED).digest("hex"))')
  status=$(printf '%s' "$event" | curl --silent --output /dev/null --max-time 10 --write-out '%{http_code}' \
    --header 'Content-Type: application/json' --header "Stripe-Signature: t=$seconds,v1=$signature" \
    --data-binary @- "$2/webhooks/stripe") || true
  body=
}

for url in $PUBLIC_URLS; do
  deliver "not-$STRIPE_WEBHOOK_SECRET" "$url"
  expect 400 "a webhook with a wrong secret at $url"
done
passed 'every instance refuses a wrong secret'
needs_yes 'runs RESTART with the new secret, and delivers an event of the type drill.webhook_secret to every instance' "$@"

if [ "$DISCLOSED" = yes ]; then
  secrets=$NEW_WEBHOOK_SECRET former=400
  step 'restarts all instances with the new secret only'
else
  secrets=$NEW_WEBHOOK_SECRET,$STRIPE_WEBHOOK_SECRET former=200
  step 'restarts all instances with the new secret and the present one'
fi
STRIPE_WEBHOOK_SECRET=$secrets sh -c "$RESTART" || failed 'RESTART ended with an error'
for url in $PUBLIC_URLS; do
  until_status 200 '' GET "$url/openapi.json"
  deliver "$NEW_WEBHOOK_SECRET" "$url"
  expect 200 "a webhook with the new secret at $url"
  deliver "$STRIPE_WEBHOOK_SECRET" "$url"
  expect "$former" "a webhook with the former secret at $url"
done
passed "every instance accepts the new secret, and answers $former to the former one"
[ "$DISCLOSED" = yes ] || step 'after 7 days, run this drill again with DISCLOSED=yes'
