#!/bin/sh
# Run a command in a virtual machine that has what this one may lack: control groups of version 2 with all controllers, so that
# isolation strict can be tried, and another kernel. The machine sees this one's files, and whatever it writes is gone with it.
#
#   tests/vm/run.sh COMMAND [ARGUMENT ...]    runs as root, in the folder where it is called; its exit code is ours
#
# Installs nothing. On Debian and Ubuntu it needs the packages qemu-system-x86, busybox-static, cpio and kmod, and a kernel with
# its modules: the newest /boot/vmlinuz-*, or that of a package which was only unpacked:
#
#   apt download linux-image-6.1.0-56-amd64 && dpkg -x linux-image-*.deb kernel && KERNEL=kernel .venv/bin/python -m tests.tools vm
#
# CORES=2, MEMORY=4G: what it gets. KVM=no: slow, and works where /dev/kvm is there but faulty, as it is inside other machines.
set -eu

kernel_root=${KERNEL:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 143' INT TERM
[ $# -gt 0 ] || { echo "usage: $0 COMMAND [ARGUMENT ...]; see the head of this file" >&2; exit 2; }

for tool in qemu-system-x86_64 busybox cpio modprobe depmod; do
    command -v $tool >/dev/null || { echo "$0: $tool is missing; see the head of this file" >&2; exit 2; }
done
image=$(ls "$kernel_root"/boot/vmlinuz-* 2>/dev/null | sort -V | tail -n 1)
[ -n "$image" ] || { echo "$0: there is no $kernel_root/boot/vmlinuz-*; see the head of this file" >&2; exit 2; }
version=${image##*/vmlinuz-}

# A first file system: busybox, the modules that reach this machine's files, and a script that does.
root=$folder/root
for name in bin modules proc dev below above new; do mkdir -p "$root/$name"; done
cp "$(command -v busybox)" "$root/bin/"
mkdir "$folder/lib"
ln -s "$(readlink -f "$kernel_root/lib/modules")" "$folder/lib/modules"
[ -e "$folder/lib/modules/$version/modules.dep" ] || depmod -b "$folder" "$version"
number=100
for module in virtio_pci 9pnet_virtio 9p overlay; do
    modprobe -d "$folder" -S "$version" --show-depends $module | grep '^insmod' | cut -d' ' -f2 >"$folder/needed"
    while read -r file; do
        ls "$root/modules" | grep -q -- "-${file##*/}\$" || cp "$file" "$root/modules/$number-${file##*/}"
        number=$((number + 1))
    done <"$folder/needed"
done

cat >"$root/init" <<'END'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t devtmpfs dev /dev
stty -F /dev/ttyS0 -opost
for module in /modules/*; do insmod "$module" || echo "cannot load $module"; done
mount -t 9p -o ro,trans=virtio,version=9p2000.L,cache=loose,msize=512000 host /below
mount -t tmpfs -o mode=755 above /above
mkdir /above/new /above/work
mount -t overlay -o lowerdir=/below,upperdir=/above/new,workdir=/above/work new /new
cd /new
mount -t proc proc proc
mount -t sysfs sys sys
mount -t devtmpfs dev dev
mkdir -p dev/pts dev/shm
mount -t devpts devpts dev/pts
for path in dev/shm run; do mount -t tmpfs -o mode=1777 tmp "$path"; done
mount -t cgroup2 cgroup2 sys/fs/cgroup
hostname khiva
ip link set lo up
cp /command run/
umount /proc /dev
exec switch_root /new /bin/sh /run/command
END
chmod +x "$root/init"

# What it does then: the command, in our folder, with our path.
{
    echo "export PATH='$PATH' HOME=/root LANG=C.UTF-8 TERM=dumb"
    echo "cd '$PWD'"
    printf 'setsid -w'
    for word in "$@"; do printf " '%s'" "$(printf %s "$word" | sed "s/'/'\\\\''/g")"; done
    echo " </dev/null >/dev/ttyS0 2>&1"
    echo 'echo $? >/dev/ttyS1; exec busybox poweroff -f'
} >"$root/command"
(cd "$root" && find . | cpio -o -H newc --quiet) >"$folder/initramfs"

# Emulated vector instructions of newer processors give wrong results with some versions of qemu.
how="-accel tcg,thread=multi -cpu Nehalem"
[ "${KVM:-yes}" = yes ] && [ -w /dev/kvm ] && how="-accel kvm -cpu host"
qemu-system-x86_64 $how -smp "${CORES:-2}" -m "${MEMORY:-4G}" -no-reboot -nodefaults -display none \
    -kernel "$image" -initrd "$folder/initramfs" -append "console=ttyS0 loglevel=1 panic=-1" \
    -serial stdio -serial "file:$folder/code" \
    -fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap -device virtio-9p-pci,fsdev=host,mount_tag=host
code=$(tr -dc 0-9 <"$folder/code")
exit "${code:-70}"
