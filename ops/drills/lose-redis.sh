#!/bin/sh
# Drill: Redis is unavailable. Without --yes it changes nothing. Run it on a copy of the installation first.
#   PUBLIC_URLS    the public listeners of all instances, separated by spaces
#   INTERNAL_URLS  their internal listeners
#   KEY            an API key of the plan Builder or Pro
#   STOP, START    commands that stop and start Redis, and end when that is done
. "$(dirname "$0")/drill.sh"
needs PUBLIC_URLS 'the public listeners of all instances, separated by spaces'
needs INTERNAL_URLS 'the internal listeners of all instances, separated by spaces'
needs KEY 'an API key of the plan Builder or Pro'
needs STOP 'a command that stops Redis'
needs START 'a command that starts Redis'
need_running
needs_yes 'runs STOP, reads pages for some seconds, and runs START' "$@"

for url in $INTERNAL_URLS; do until_ready "$url" ready; done
step 'stops Redis'
start_reading each
trap 'touch "$reading/stop"; sh -c "$START"' EXIT
run STOP
for url in $INTERNAL_URLS; do until_ready "$url" degraded; done
passed 'every instance is degraded, and stays in the load balancer'
sleep 2
step 'starts Redis'
run START
trap - EXIT
for url in $INTERNAL_URLS; do until_ready "$url" ready; done
passed 'every instance is ready again, without a restart'
stop_reading 'before, during and after the outage'
