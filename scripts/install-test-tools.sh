#!/bin/sh
# Some tests check results with third-party programs. This script installs missing Debian packages if
# possible (as root, with apt). Otherwise it prints which are missing, and the tests that need them are reported as skipped.
set -u

missing=
need() { # need PACKAGE COMMAND...: the package is installed if the command succeeds
  package=$1
  shift
  "$@" >/dev/null 2>&1 || missing="$missing $package"
}
has() { command -v "$1"; }

# Debian's packages are for Debian's own Python, whichever `python3` is on the PATH.
need python3 has /usr/bin/python3
need python3-cryptography /usr/bin/python3 -c 'import cryptography'
need python3-zstandard /usr/bin/python3 -c 'import zstandard'
# Databases that are backed up while they are written to.
need python3-lmdb /usr/bin/python3 -c 'import lmdb'
need python3-plyvel /usr/bin/python3 -c 'import plyvel'
need attr has setfattr
need openssl has openssl
need oathtool has oathtool
need strace has strace
need mount has mount
# The packages, their manual pages, and the shells that complete commands.
need xz-utils has xz
need rpm has rpmbuild
need groff has groff
need mandoc has mandoc
need zsh has zsh
need fish has fish
# Restore points as a file system.
need fuse3 has fusermount3
# The pages are tested in a real browser, without the windows that nobody sees here.
need chromium-headless-shell has chromium-headless-shell
# The desktop app: a screen, a panel with a tray, notifications, a mouse, and what Electron loads.
need xvfb has Xvfb
need dbus has dbus-daemon
need xfce4-panel has xfce4-panel
need dunst has dunst
need libnotify-bin has notify-send
need xdotool has xdotool
library() { PATH=$PATH:/sbin ldconfig -p | grep -F "$1"; }
need libgtk-3-0 library libgtk-3.so.0
need libnss3 library libnss3.so
need libasound2 library libasound.so.2
need libgbm1 library libgbm.so.1
need libxss1 library libXss.so.1
need libatk-bridge2.0-0 library libatk-bridge-2.0.so.0
need libdrm2 library libdrm.so.2
need libxtst6 library libXtst.so.6
need libnotify4 library libnotify.so.4
# A real object store with the S3 interface.
need radosgw has radosgw
need ceph-mon has ceph-mon
need ceph-osd has ceph-osd
# Servers of other kinds: SFTP, what rclone serves, and WebDAV.
need openssh-server has /usr/sbin/sshd
need openssh-client has ssh-keygen
need rclone has rclone
need apache2-bin has /usr/sbin/apache2
# The proxy in front of a service.
need nginx has /usr/sbin/nginx
# Packages of other distributions.
need rpm has rpmbuild
# A real keychain on a separate bus.
need gnome-keyring has gnome-keyring-daemon
need dbus has dbus-run-session

[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && has apt-get >/dev/null; then
  echo "Installing what the tests need:$missing"
  # In run level 1 no server is started that was only installed.
  install() { RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null; }
  # shellcheck disable=SC2086 # one argument for each package
  if ! { install $missing 2>/dev/null || { apt-get update -qq && install $missing; }; }; then
    # A package that this distribution lacks keeps none of the others out.
    for package in $missing; do
      install "$package" || echo "Could not install $package. Tests that need it are skipped."
    done
  fi
else
  echo "Missing:$missing. Tests that need them are skipped; with Debian: sudo apt-get install$missing"
fi
exit 0
