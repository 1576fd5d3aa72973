#!/usr/bin/env bash
# Bootstrap action for EMR on EC2: puts the listener's key where Spark's drivers find it, and the listener's jar where
# the release lacks it. Runs on every node, before Spark is installed; see README.md.
#
#   bootstrap.sh --url https://ID.execute-api.REGION.amazonaws.com --secret ARN [--jar s3://BUCKET/KEY --sha256 HEX]
#
# A cluster must not fail because of lineage: whatever goes wrong is told, and the cluster starts without lineage.
set -uo pipefail

readonly ROOT=${HEADWATER_ROOT:-}  # a folder in place of /, for trying this out
readonly SETTINGS=$ROOT/etc/headwater/openlineage.yml
readonly JAR=$ROOT/usr/lib/headwater/openlineage-spark.jar

main() {
  local url='' secret='' jar='' sha256=''
  if [[ ${1:-} == --help ]]; then
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
    exit 0
  fi
  while (($# > 1)); do
    case $1 in
      --url) url=$2 ;;
      --secret) secret=$2 ;;
      --jar) jar=$2 ;;
      --sha256) sha256=$2 ;;
      *) give_up "unknown option $1" ;;
    esac
    shift 2
  done
  (($# == 0)) || give_up "what is $1 for?"
  [[ $url =~ ^https?://[^[:space:]\"\'\\]+$ ]] || give_up '--url is needed: the output ApiUrl'
  [[ -n $secret ]] || give_up '--secret is needed: the ARN of a secret that holds a key with the scope ingest'
  if [[ -n $jar ]]; then
    [[ $sha256 =~ ^[0-9a-fA-F]{64}$ ]] || give_up '--sha256 is needed with --jar: 64 hexadecimal digits'
    fetch_jar "$jar" "$sha256"
  fi
  write_settings "$url" "$secret"
}

fetch_jar() {
  local from=$1 sha256=$2 part=$JAR.part
  as_root mkdir -p "$(dirname "$JAR")"
  as_root aws s3 cp --only-show-errors "$from" "$part" || give_up "$from cannot be read: does the instance profile allow s3:GetObject?"
  if ! echo "$sha256  $part" | as_root sha256sum --check --status; then
    as_root rm -f "$part"
    give_up "$from is not what --sha256 says"
  fi
  as_root chmod 644 "$part"
  as_root mv "$part" "$JAR"
}

# The key goes from Secrets Manager into a file that root and the group of Spark's drivers can read. It is in no argument
# of a program, and no setting of Spark, which writes those into its logs and its UI.
write_settings() {
  local url=$1 secret=$2 key
  key=$(aws secretsmanager get-secret-value --secret-id "$secret" --query SecretString --output text) ||
    give_up "$secret cannot be read: does the instance profile allow secretsmanager:GetSecretValue?"
  [[ $key =~ ^[A-Za-z0-9._~+/=-]+$ ]] || give_up "$secret is no key: it should be the key alone, as plain text"
  as_root mkdir -p "$(dirname "$SETTINGS")"
  as_root install -m 640 /dev/null "$SETTINGS"
  # EMR runs bootstrap actions, and jobs, as the user hadoop: the group is there before Hadoop is.
  getent group hadoop >/dev/null && as_root chgrp hadoop "$SETTINGS"
  printf 'transport:\n  type: http\n  url: "%s"\n  auth:\n    type: api_key\n    apiKey: "%s"\n' "$url" "$key" |
    as_root tee "$SETTINGS" >/dev/null
}

as_root() {
  if [[ -n $ROOT || $EUID == 0 ]]; then "$@"; else sudo "$@"; fi
}

give_up() {
  echo "headwater: no lineage from this node: $1" >&2
  exit 0
}

main "$@"
