# Prints each change of the feed as a line of JSON. Started again, it continues after the last one that it printed.
# Needs curl and jq, and ODDSWIRE_URL and ODDSWIRE_KEY in the environment.
touch position

stream() {
  after=$(cat position)
  curl -sSN --compressed --connect-timeout 10 --speed-limit 1 --speed-time 30 -H "X-API-Key: $ODDSWIRE_KEY" \
    "$ODDSWIRE_URL/pm/v2/stream${after:+?after=$after}"
}

handle() { # one line of the stream, or a refusal
  case $1 in
    'data: {"type":"item"'* | 'data: {"type":"retraction"'*) printf '%s\n' "${1#data: }" ;;
    'data: {"type":"closing"'*',"retry_after_seconds":null}') printf '%s\n' "$1" >&2; exit 3 ;;
    'id: '*) id=${1#id: } ;;
    '{'*) printf '%s\n' "$1" >&2; [ "$(printf '%s' "$1" | jq .status)" -ge 429 ] || exit 3 ;;
    '') printf '%s' "$id" > position.new; mv position.new position ;; # after the end of a message
  esac
}

while :; do
  stream | while IFS= read -r line; do handle "$line"; done
  [ $? = 3 ] && exit 1
  sleep "$(awk 'BEGIN { srand(); print 1 + rand() }')"
done
