# Functions of all drills. Each drill reads this file with `.`; it is not a drill itself.
# Tokens and keys reach curl through its standard input, because other users of a machine can read arguments.
set -eu

WAIT_SECONDS=${WAIT_SECONDS:-120}
DRILL=$(basename "$0" .sh)
# Some shells run the trap of EXIT only for `exit`, and not for a signal.
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

step() { printf '%s: %s\n' "$DRILL" "$*"; }
passed() { printf '%s: passed: %s\n' "$DRILL" "$*"; }
failed() {
  printf '%s: FAILED: %s\n' "$DRILL" "$*" >&2
  exit 1
}

# needs NAME TEXT: ends the drill if the variable is not set.
needs() {
  eval "given=\${$1:-}"
  if [ -z "$given" ]; then
    printf '%s: set %s: %s\n' "$DRILL" "$1" "$2" >&2
    exit 2
  fi
}

# needs_yes TEXT "$@": ends the drill before its first change, unless an argument is --yes.
needs_yes() {
  plan=$1
  shift
  for argument in "$@"; do [ "$argument" != --yes ] || return 0; done
  step "nothing was changed. With --yes this drill $plan"
  exit 0
}

# quoted TEXT: inside quotes of a curl configuration.
quoted() { printf '%s' "$1" | sed 's/["\\]/\\&/g'; }

# request TOKEN METHOD URL [BODY]: writes the status to $status and the response to $body. An empty token sends none.
request() {
  response=$(
    {
      if [ -n "$1" ]; then printf 'header = "Authorization: Bearer %s"\n' "$(quoted "$1")"; fi
      if [ $# -gt 3 ]; then
        printf 'header = "Content-Type: application/json"\n'
        printf 'data-raw = "%s"\n' "$(quoted "$4")"
      fi
      printf 'request = "%s"\nurl = "%s"\n' "$2" "$3"
    } | curl --silent --show-error --max-time 10 --write-out '\n%{http_code}' --config - 2>&1
  ) || true
  status=$(printf '%s' "$response" | tail -n 1)
  body=$(printf '%s\n' "$response" | sed '$d')
}

# field NAME: the text of a field in $body.
field() { printf '%s' "$body" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

# expect STATUS TEXT: ends the drill if the last request has another status.
expect() {
  [ "$status" = "$1" ] || failed "$2: the status is $status instead of $1. $body"
}

# until_status STATUS TOKEN METHOD URL: repeats a request until it has the status, for at most WAIT_SECONDS.
until_status() {
  wanted=$1
  shift
  from=$(date +%s)
  while
    request "$@"
    [ "$status" != "$wanted" ]
  do
    [ $(($(date +%s) - from)) -lt "$WAIT_SECONDS" ] ||
      failed "$2 $3 still answers $status instead of $wanted after $WAIT_SECONDS s. $body"
    sleep 0.1
  done
}

# until_ready URL STATE: waits until /readyz of an instance has the state `ready` or `degraded`.
until_ready() {
  from=$(date +%s)
  while
    request '' GET "$1/readyz"
    [ "$status" != 200 ] || [ "$(printf '%s' "$body" | sed -n 's/^{"status":"\([^"]*\)".*/\1/p')" != "$2" ]
  do
    [ $(($(date +%s) - from)) -lt "$WAIT_SECONDS" ] || failed "$1 is not $2 after $WAIT_SECONDS s. $body"
    sleep 0.1
  done
}

# read_instances: requests a page from every instance, one after the other.
read_instances() {
  answers=
  for url in $PUBLIC_URLS; do
    request "$KEY" GET "$url/pm/v2/news?limit=1"
    answers="$answers $status"
  done
}
# start_reading: requests a page every 0.5 s until stop_reading. A round fails if no instance answers 200, or if the first
# argument is `each` and one of them does not.
start_reading() {
  reading=$(mktemp -d)
  (
    # $$ is the drill: without it, nobody would end the loop.
    while [ ! -e "$reading/stop" ] && kill -0 $$ 2>/dev/null; do
      read_instances
      # Each instance may have been away when it was asked, although there was always one: so all are asked once more.
      case "$1:$answers" in
        any:*200*) ;;
        any:*) read_instances ;;
      esac
      case "$1:$answers" in
        any:*200*) echo "$answers" >> "$reading/good" ;;
        any:*) echo "$answers" >> "$reading/bad" ;;
        *) if [ "$(printf '%s' "$answers" | sed 's/ 200//g')" = '' ]; then echo "$answers" >> "$reading/good"; else echo "$answers" >> "$reading/bad"; fi ;;
      esac
      sleep 0.5
    done
  ) &
  reader=$!
}

# stop_reading TEXT: ends the drill if a round has failed.
stop_reading() {
  touch "$reading/stop"
  wait "$reader"
  bad=$(sort "$reading/bad" 2>/dev/null | uniq -c | tr '\n' ';')
  good=$(cat "$reading/good" 2>/dev/null | wc -l | tr -d ' ')
  rm -rf "$reading"
  [ -z "$bad" ] || failed "$1: some requests were not answered with 200. Number of rounds, and the status of each instance: $bad"
  passed "$1: $good rounds of requests were all answered with 200"
}

# need_running: every instance is ready and answers the key.
need_running() {
  for url in $INTERNAL_URLS; do
    request '' GET "$url/readyz"
    expect 200 "$url/readyz before the drill"
  done
  for url in $PUBLIC_URLS; do
    request "$KEY" GET "$url/pm/v2/news?limit=1"
    expect 200 "KEY at $url before the drill"
  done
  passed 'every instance is ready, and accepts KEY'
}

# run NAME: runs the command in this variable.
run() {
  eval "command_text=\$$1"
  sh -c "$command_text" || failed "$1 ended with an error"
}
