#!/usr/bin/env bash
# Unpacks a program of another Debian suite, with all that it needs, and makes a starter for it; installs nothing.
#   debian-program.sh SUITE PACKAGE PROGRAM FOLDER   makes FOLDER/PROGRAM
# The mirror is the one that this machine's apt already uses. Only for Debian on x86-64 and ARM64.
set -eu
suite=$1 package=$2 program=$3
mkdir -p "$4"
cd "$4"
if [ -x "$program" ]; then
    exit 0
fi
# shellcheck disable=SC2016 # the $(…) is apt's own
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Component: main' | grep -v security | head -1)
architecture=$(dpkg --print-architecture)
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mkdir -p apt/lists/partial apt/archives/partial apt/etc root
: > apt/status
echo "deb [signed-by=$keyring] $mirror $suite main" > apt/etc/sources.list
cat > apt/apt.conf <<END
Dir::State "$PWD/apt";
Dir::State::Lists "$PWD/apt/lists";
Dir::State::status "$PWD/apt/status";
Dir::Cache "$PWD/apt";
Dir::Cache::Archives "$PWD/apt/archives";
Dir::Etc::sourcelist "$PWD/apt/etc/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::trusted "/etc/apt/trusted.gpg";
APT::Architecture "$architecture";
APT::Sandbox::User "root";
END
export APT_CONFIG="$PWD/apt/apt.conf"
apt-get -qq update
# Nothing counts as installed here, so everything down to the C library comes along.
apt-get -qq install --download-only --no-install-recommends -y "$package" > /dev/null
for file in apt/archives/*.deb; do
    dpkg-deb -x "$file" root
done
rm -rf apt
loader=$(find root/lib64 root/lib root/usr/lib64 root/usr/lib -name 'ld-linux-*.so.*' 2>/dev/null | head -1)
cat > "$program" <<END
#!/bin/sh
# The program with the libraries of its own suite.
here=\$(cd "\$(dirname "\$0")" && pwd)
root="\$here/root"
libraries=\$(find "\$root/usr/lib" "\$root/lib" -maxdepth 2 -type d 2>/dev/null | tr '\n' ':')
export VIMRUNTIME="\${VIMRUNTIME-\$root/usr/share/nvim/runtime}" HELIX_RUNTIME="\$root/usr/lib/helix/runtime"
exec "\$here/$loader" --library-path "\$libraries" "\$root/usr/bin/$program" "\$@"
END
chmod +x "$program"
