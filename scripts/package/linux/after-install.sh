#!/bin/sh
# Runs after the package was installed or updated. Dollar signs before a brace are for electron-builder.
set -e

# Chromium's sandbox uses user namespaces. Where people may not create any, it needs a helper that runs as root.
if setpriv --reuid=65534 --regid=65534 --clear-groups unshare --user true 2>/dev/null; then
  chmod 0755 '/opt/${sanitizedProductName}/chrome-sandbox'
else
  chmod 4755 '/opt/${sanitizedProductName}/chrome-sandbox'
fi

# Ubuntu allows user namespaces only to programs with a profile. Older versions of AppArmor do not know such profiles.
if command -v apparmor_status >/dev/null 2>&1 && apparmor_status --enabled >/dev/null 2>&1; then
  source='/opt/${sanitizedProductName}/resources/apparmor-profile'
  profile='/etc/apparmor.d/${executable}'
  if apparmor_parser --skip-kernel-load --debug "$source" >/dev/null 2>&1; then
    cp -f "$source" "$profile"
    # A chroot has the kernel of another system.
    if ! { command -v ischroot >/dev/null 2>&1 && ischroot; }; then
      apparmor_parser --replace --write-cache --skip-read-cache "$profile" || true
    fi
  fi
fi

# The command `holdfast`, unless the package of the command line or an administrator has brought one.
command=/usr/bin/holdfast
if [ ! -e "$command" ] && [ ! -L "$command" ]; then
  ln -s '/opt/${sanitizedProductName}/resources/holdfast' "$command"
fi

if command -v update-desktop-database >/dev/null 2>&1; then
  update-desktop-database -q /usr/share/applications || true
fi
if command -v gtk-update-icon-cache >/dev/null 2>&1; then
  gtk-update-icon-cache -q -t -f /usr/share/icons/hicolor || true
fi
