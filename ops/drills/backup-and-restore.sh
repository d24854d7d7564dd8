#!/bin/sh
# Drill: backup and restore. Dumps the database while the service uses it, restores the dump into another, empty database,
# compares the rows of every table, and starts the service on it. It only reads the database of the service.
#   DATABASE_URL          the database of the service
#   RESTORE_DATABASE_URL  an empty database; the drill fills it and leaves it
#   SERVICE               the path of dist/src/main.js of the version that runs; without it the service is not started
# Put passwords into ~/.pgpass or PGPASSWORD: other users of a machine can read arguments. On a large feed the drill takes long:
# it reads every row twice.
. "$(dirname "$0")/drill.sh"
needs DATABASE_URL 'the database of the service'
needs RESTORE_DATABASE_URL 'an empty database that the drill may fill'
SERVICE=${SERVICE:-}
[ -z "$SERVICE" ] || [ -f "$SERVICE" ] || failed "SERVICE is no file: $SERVICE"
folder=$(mktemp -d)
instance=
finish() {
  [ -z "$instance" ] || kill "$instance" 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT
export PGOPTIONS="${PGOPTIONS:-} -c timezone=UTC" PGCONNECT_TIMEOUT=10

restored() { psql --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 "$@" "$RESTORE_DATABASE_URL"; }
tables=$(restored --command "select count(*) from pg_tables where schemaname not in ('pg_catalog', 'information_schema')") ||
  failed 'RESTORE_DATABASE_URL cannot be read'
[ "$tables" = 0 ] || failed "the database of RESTORE_DATABASE_URL has $tables tables. It must be empty"

# For each table: its name, the number of rows, and a sum over the rows that does not depend on their order.
cat > "$folder/rows.sql" <<'SQL'
select format(
  'select %L, count(*), coalesce(sum(hashtextextended(each::text, 0)::numeric), 0) from %I.%I as each',
  tablename, schemaname, tablename)
from pg_tables where schemaname not in ('pg_catalog', 'information_schema') order by tablename \gexec
SQL

step 'dumps the database'
# One transaction sees the state of the dump, although the service goes on writing.
mkfifo "$folder/statements"
psql --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 "$DATABASE_URL" \
  < "$folder/statements" > "$folder/source" 2> "$folder/faults" &
reader=$!
exec 3> "$folder/statements"
printf 'begin isolation level repeatable read read only;\nselect pg_export_snapshot();\n' >&3
while [ ! -s "$folder/source" ]; do
  kill -0 "$reader" 2>/dev/null || failed "DATABASE_URL cannot be read. $(cat "$folder/faults")"
  sleep 0.1
done
pg_dump --format=custom --snapshot="$(cat "$folder/source")" --file="$folder/oddswire.dump" "$DATABASE_URL" ||
  failed 'pg_dump ended with an error'
cat "$folder/rows.sql" >&3
exec 3>&-
wait "$reader" || failed "the rows of the database cannot be read. $(cat "$folder/faults")"
passed "the dump has $(wc -c < "$folder/oddswire.dump" | tr -d ' ') bytes"

step 'restores it into the empty database'
pg_restore --single-transaction --exit-on-error --no-owner --no-privileges --dbname="$RESTORE_DATABASE_URL" \
  "$folder/oddswire.dump" || failed 'pg_restore ended with an error'
PGOPTIONS='-c client_min_messages=error' restored --command analyze # Without warnings about tables of the server itself.
restored --file "$folder/rows.sql" > "$folder/restored"
sed 1d "$folder/source" | diff - "$folder/restored" > "$folder/differences" ||
  failed "the restored rows differ: $(cat "$folder/differences")"
[ "$(wc -l < "$folder/restored")" -ge 10 ] || failed 'the backup lacks tables: is DATABASE_URL the database of the service?'
passed "$(wc -l < "$folder/restored" | tr -d ' ') tables have the same rows"

[ -n "$SERVICE" ] || { step 'SERVICE is not set, so the service was not started on the restored database'; exit 0; }
step 'starts the service on the restored database, without mail and payments'
# In an empty folder and environment: it must not read the settings of the installation, and send mail for it.
SERVICE=$(cd "$(dirname "$SERVICE")" && pwd)/$(basename "$SERVICE")
NODE=$(command -v node)
(cd "$folder" && exec env -i PATH="$PATH" PGPASSWORD="${PGPASSWORD:-}" HOME="$HOME" DATABASE_URL="$RESTORE_DATABASE_URL" \
  HOST=127.0.0.1 PORT=0 INTERNAL_PORT=0 MIGRATE=off LOG_FORMAT=json "$NODE" "$SERVICE" > "$folder/service.log" 2>&1) &
instance=$!
from=$(date +%s)
while ! grep -q '"msg":"listening"' "$folder/service.log" 2>/dev/null; do
  kill -0 "$instance" 2>/dev/null || failed "the service ended: $(tail -n 5 "$folder/service.log")"
  [ $(($(date +%s) - from)) -lt "$WAIT_SECONDS" ] || failed "the service does not start: $(tail -n 5 "$folder/service.log")"
  sleep 0.1
done
port=$(sed -n 's/.*"internal_port":\([0-9]*\).*/\1/p' "$folder/service.log" | head -n 1)
until_status 200 '' GET "http://127.0.0.1:$port/readyz"
passed 'the service runs on the restored database'
COMMAND=$(dirname "$SERVICE")/commands/destinations.js
if [ -f "$COMMAND" ]; then
  (cd "$folder" && env -i PATH="$PATH" PGPASSWORD="${PGPASSWORD:-}" HOME="$HOME" DATABASE_URL="$RESTORE_DATABASE_URL" \
    "$NODE" "$COMMAND" reset > "$folder/reset.log" 2>&1) || failed "destinations cannot be told: $(cat "$folder/reset.log")"
  passed 'the destinations of the restored database are told of the restore'
fi
kill "$instance"
wait "$instance" || true
instance=
step 'drop the restored database when you do not need it any more'
