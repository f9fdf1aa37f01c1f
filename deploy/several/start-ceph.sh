#!/bin/bash
# Ceph with one process of each kind and one copy of everything, in a folder: an S3 server to try several ingests with.
# Takes BUCKET, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; answers on port 7480.
set -euo pipefail

folder=${FOLDER:-/var/lib/ceph-in-one}
ready=${READY:-/run/ceph-in-one.ready}
port=${PORT:-7480}
conf=$folder/ceph.conf
rm -f "$ready"
mkdir -p "$folder/mon" "$folder/osd"
for name in fsid disk; do
  [ -s "$folder/$name" ] || cat /proc/sys/kernel/random/uuid > "$folder/$name"
done
read -r fsid < "$folder/fsid"
read -r disk < "$folder/disk"

cat > "$conf" <<END
[global]
fsid = $fsid
mon host = v1:127.0.0.1:6789
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind msgr2 = false
# Nothing but port $port is reached from outside of this container.
auth cluster required = none
auth service required = none
auth client required = none
mon allow pool size one = true
mon max pg per osd = 2000
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
run dir = $folder
admin socket = $folder/\$name.asok
log file = $folder/\$name.log
[mon.a]
mon data = $folder/mon
[osd.0]
osd data = $folder/osd
osd objectstore = bluestore
osd memory target = 939524096
# A file that takes room only as it fills.
bluestore block create = true
bluestore block size = ${DISK_BYTES:-21474836480}
[client.rgw]
rgw frontends = beast endpoint=0.0.0.0:$port
rgw dynamic resharding = false
rgw override bucket index max shards = 1
END

ceph() { command ceph -c "$conf" --connect-timeout 30 "$@"; }
# Its storage takes a while to write down what it has.
stop() { kill $(jobs -p) 2> /dev/null || true; wait; }
trap stop EXIT
trap 'exit 0' TERM INT

if [ ! -e "$folder/mon/store.db" ]; then
  monmaptool --create --addv a '[v1:127.0.0.1:6789]' --fsid "$fsid" "$folder/monmap" --clobber
  ceph-mon -c "$conf" -i a --mkfs --monmap "$folder/monmap"
fi
ceph-mon -c "$conf" -i a -f &
if [ ! -e "$folder/osd/ready" ]; then
  ceph osd new "$disk"
  ceph-osd -c "$conf" -i 0 --mkfs --osd-uuid "$disk"
fi
ceph-osd -c "$conf" -i 0 -f &
radosgw -c "$conf" -n client.rgw -f &

until curl -s -o "$folder/answer" "http://127.0.0.1:$port/"; do sleep 1; done
admin() { radosgw-admin -c "$conf" "$@" > /dev/null; }
admin user info --uid sluice 2> /dev/null || admin user create --uid sluice --display-name sluice \
  --access-key "$AWS_ACCESS_KEY_ID" --secret-key "$AWS_SECRET_ACCESS_KEY"
python3 - "$port" << 'END'
import base64, email.utils, hmac, os, sys, urllib.request
bucket, date = os.environ["BUCKET"], email.utils.formatdate(usegmt=True)
said = f"PUT\n\n\n{date}\n/{bucket}".encode()
signature = base64.b64encode(hmac.digest(os.environ["AWS_SECRET_ACCESS_KEY"].encode(), said, "sha1")).decode()
headers = {"Date": date, "Authorization": f"AWS {os.environ['AWS_ACCESS_KEY_ID']}:{signature}"}
urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{sys.argv[1]}/{bucket}", method="PUT", headers=headers))
END
touch "$ready"
# Where one ends, all do, and the container begins anew.
wait -n
exit 1
