#!/bin/sh
# Runs after the files of the package are gone. Leaves what belongs to a person: settings, keys and backups.
set -e

# rpm runs this after an update, too, with the number of versions that are left; dpkg says what it does.
case "$1" in
  0 | remove | purge) ;;
  *) exit 0 ;;
esac

program='/opt/${sanitizedProductName}/resources/holdfast'
if [ "$(readlink /usr/bin/holdfast 2>/dev/null)" = "$program" ]; then rm -f /usr/bin/holdfast; fi

profile='/etc/apparmor.d/${executable}'
if [ -f "$profile" ]; then
  # The kernel would keep it until the next start.
  if ! { command -v ischroot >/dev/null 2>&1 && ischroot; }; then
    apparmor_parser --remove "$profile" >/dev/null 2>&1 || true
  fi
  rm -f "$profile"
fi

if command -v update-desktop-database >/dev/null 2>&1; then
  update-desktop-database -q /usr/share/applications || true
fi
