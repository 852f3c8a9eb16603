#!/usr/bin/env bash
# Signs on and pairs, approves the next push, or shows a passcode, with authctl and jq.
# usage: authenticator.sh sign-on USERNAME | approve | passcode; the password is the first line of standard input
set -euo pipefail

show() { # FILTER: filters authctl's last document; on an error prints the page's message, else the error's
  jq -rs "if .[-1].error then (map(.message // empty)[0] // .[-1].error.message) + \"\\n\" | halt_error(1)
    else .[-1] | $1 end"
}

case "$#:${1:-}" in
  2:sign-on)
    # A pipe keeps the password out of the process list.
    head -n 1 | jq -Rc --arg username "$2" '{values: {username: $username, password: .}}' |
      authctl login --yes --json | show '"signed on as " + .user.username'
    ;;
  1:approve)
    # For tests only: approves every push, without asking the user.
    authctl approve --wait --yes --json | show '"approved: " + .notification.title'
    ;;
  1:passcode)
    authctl otp --json | show .passcode
    ;;
  *)
    sed -n '3s/^# //p' "$0" >&2
    exit 2
    ;;
esac
