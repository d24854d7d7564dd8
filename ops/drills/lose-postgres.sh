#!/bin/sh
# Drill: Postgres is unavailable. Without --yes it changes nothing. Run it on a copy of the installation first.
#   PUBLIC_URLS    the public listeners of all instances, separated by spaces
#   INTERNAL_URLS  their internal listeners
#   KEY            an API key of the plan Builder or Pro
#   OPERATOR_TOKEN
#   STOP, START    commands that stop and start Postgres, and end when that is done
. "$(dirname "$0")/drill.sh"
needs PUBLIC_URLS 'the public listeners of all instances, separated by spaces'
needs INTERNAL_URLS 'the internal listeners of all instances, separated by spaces'
needs KEY 'an API key of the plan Builder or Pro'
needs OPERATOR_TOKEN 'the token of operators'
needs STOP 'a command that stops Postgres'
needs START 'a command that starts Postgres'
need_running
needs_yes 'runs STOP, reads pages for some seconds, and runs START' "$@"

# It reads the database.
call=/internal/v1/payment-events?state=failed
for url in $INTERNAL_URLS; do until_ready "$url" ready; done
step 'stops Postgres'
start_reading each
trap 'touch "$reading/stop"; sh -c "$START"' EXIT
run STOP
for url in $INTERNAL_URLS; do until_ready "$url" degraded; done
passed 'every instance is degraded, and stays in the load balancer'
for url in $INTERNAL_URLS; do until_status 503 "$OPERATOR_TOKEN" GET "$url$call"; done
passed 'every instance answers 503 to operators'
sleep 2
step 'starts Postgres'
run START
trap - EXIT
for url in $INTERNAL_URLS; do until_ready "$url" ready; done
passed 'every instance is ready again, without a restart'
for url in $INTERNAL_URLS; do until_status 200 "$OPERATOR_TOKEN" GET "$url$call"; done
passed 'every instance answers operators again'
stop_reading 'a known key, before, during and after the outage'
