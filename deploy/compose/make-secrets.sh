#!/bin/sh
# Makes the secrets of deploy/compose.yaml that are not there yet, in compose/secrets/. What is there stays as it is.
# The certificate is yours: put it there as tls_certificate (the whole chain) and tls_key, before or after this.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
chmod 711 secrets

make() { # NAME COMMAND…
  name=$1
  shift
  [ -s "secrets/$name" ] || "$@" > "secrets/$name"
}
key() { openssl rand -base64 32 | tr -d '\n'; }
token() { openssl rand -hex 32 | tr -d '\n'; }

for name in data_key audit_key pseudonym_key; do make "$name" key; done
for name in webhook_secret notification_secret admin_token postgres_password; do make "$name" token; done
make database_url printf 'postgres://chartgate:%s@localhost/chartgate?host=/run/postgresql' "$(cat secrets/postgres_password)"

# A container sees these files with the owner that they have here: 1000 is the gateway, 101 the proxy, 999 PostgreSQL.
own() { # UID FILE…
  uid=$1
  shift
  for file in "$@"; do
    [ -e "$file" ] || continue
    chmod 400 "$file"
    [ "$(stat -c %u "$file")" = "$uid" ] || chown "$uid:$uid" "$file" 2> /dev/null ||
      echo "make-secrets.sh: $file must belong to user $uid: sudo chown $uid:$uid $PWD/$file" >&2
  done
}
cd secrets
own 1000 data_key audit_key pseudonym_key webhook_secret notification_secret admin_token database_url ehr_credential
own 101 tls_certificate tls_key
own 999 postgres_password
[ -e tls_certificate ] && [ -e tls_key ] ||
  echo "make-secrets.sh: tls_certificate and tls_key are missing in $PWD: put them there and run this once more." >&2
