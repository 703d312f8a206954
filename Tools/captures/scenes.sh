# The scenes of record-captures.sh, which sources this file. Each sets title, why, software (packages) and need (what
# the file has to hold: kind>=N or kind=N), and plays: hosts, then a capture, then who starts, ends, searches and fails.

minidlna-start-and-byebye() {
  title="MiniDLNA starts, is searched for, renews once and says byebye"
  why="The plain life of a media server: byebye before the first alive, two passes of each set, answers without delay."
  software="minidlna gupnp-tools" need="notify-alive>=24 response>=6 search>=1 notify-byebye>=12 expired=0"
  pair
  capture control eth0 eth0 "$ipv4"
  minidlna server device 8
  pause 4
  discover 3
  pause 9
  byebye server
  pause 1
  search control --from 192.168.77.20 --wait 2 group,ssdp:all,1
  poke control 192.168.77.10
}

minidlna-killed-lease-expires() {
  title="MiniDLNA is killed with -9 and its lease ends"
  why="No byebye ever comes: the device is lost when max-age after its newest message has passed, and not before."
  software="minidlna" need="notify-alive>=24 expired>=6 search>=2 response=0"
  pair
  capture control eth0 eth0 "$ipv4"
  minidlna server device 6
  pause 14
  murder server
  pause 10
  search control --from 192.168.77.20 --wait 1 group,ssdp:all,1
  pause 10
  search control --from 192.168.77.20 --wait 1 group,ssdp:all,1
  poke control 192.168.77.10
}

miniupnpd-upnpc-and-byebye() {
  title="upnpc finds a MiniUPnPd router, which then ends"
  why="Three nested UUIDs on one LOCATION, an answer to :1 from a :2 device with another max-age, description and SOAP over TCP."
  software="miniupnpd miniupnpc" need="notify-alive>=13 search>=1 response>=1 tcp>=10 notify-byebye>=13"
  net router control
  cable router eth0 01 control eth0 14
  address router eth0 192.168.77.1/24
  address control eth0 192.168.77.20/24
  network="router 192.168.77.1 and control 192.168.77.20, one veth pair, captured at control"
  capture control eth0 eth0 "$ipv4"
  miniupnpd daemon router 30 -4
  pause 4
  act control upnpc -s
  pause 2
  byebye daemon
  pause 1
  poke control 192.168.77.1
}

miniupnpd-killed-lease-expires() {
  title="MiniUPnPd is killed with -9 and the leases of its three UUIDs end"
  why="Thirteen USN of a root and its two embedded devices expire together, with nothing but their own NOTIFYs to go by."
  software="miniupnpd" need="notify-alive>=26 expired>=13 response=0"
  net router control
  cable router eth0 01 control eth0 14
  address router eth0 192.168.77.1/24
  address control eth0 192.168.77.20/24
  network="router 192.168.77.1 and control 192.168.77.20, one veth pair, captured at control"
  capture control eth0 eth0 "$ipv4"
  miniupnpd daemon router 11 -4
  pause 14
  murder daemon
  pause 22
  poke control 192.168.77.1
}

miniupnpd-restarted-new-bootid() {
  title="MiniUPnPd is killed with -9 and started again before its lease ends"
  why="The same USN come back with a greater BOOTID and without a byebye: a reboot, not a renewal."
  software="miniupnpd" need="notify-alive>=26 notify-byebye=0 rebooted>=13 expired=0"
  net router control
  cable router eth0 01 control eth0 14
  address router eth0 192.168.77.1/24
  address control eth0 192.168.77.20/24
  network="router 192.168.77.1 and control 192.168.77.20, one veth pair, captured at control"
  capture control eth0 eth0 "$ipv4"
  miniupnpd daemon router 25 -4
  pause 8
  murder daemon
  pause 4
  miniupnpd again router 25 -4
  pause 5
  poke control 192.168.77.1
  murder again
}

gssdp-update-bootid() {
  title="A gssdp device announces ssdp:update and goes on with the next BOOTID"
  why="NEXTBOOTID foretells the BOOTID that follows: same device, not away. gssdp lets only the first update carry the old BOOTID."
  software="libgssdp-1.6-0 python3-gi gupnp-tools" need="notify-update>=4 notify-alive>=8 response>=4 notify-byebye>=8 expired=0"
  pair
  capture control eth0 eth0 "$ipv4"
  gssdp light device --on eth0=192.168.77.10 --max-age 30 --boot 7
  pause 3
  discover 3
  pause 6
  event "the device announces BOOTID 8 (SIGUSR1)"
  kill -USR1 "$light"
  pause 8
  byebye light
}

gssdp-killed-lease-expires() {
  title="A gssdp device is killed with -9 and its lease ends"
  why="Each message comes three times, 120 ms apart: the lease counts from the last copy."
  software="libgssdp-1.6-0 python3-gi gupnp-tools" need="notify-alive>=12 expired>=4 search>=1"
  pair
  capture control eth0 eth0 "$ipv4"
  gssdp light device --on eth0=192.168.77.10 --max-age 20
  pause 3
  discover 2
  pause 4
  murder light
  pause 22
  discover 2
  poke control 192.168.77.10
}

gssdp-rebooted-new-bootid() {
  title="A gssdp device is killed with -9 and comes back with a greater BOOTID while its byebyes are dropped"
  why="gssdp sends byebye before its first alive; where those are lost, BOOTID alone tells that the device was away."
  software="libgssdp-1.6-0 python3-gi nftables" need="notify-alive>=8 rebooted>=1 expired=0"
  pair
  capture control eth0 eth0 "$ipv4"
  gssdp light device --on eth0=192.168.77.10 --max-age 40 --boot 100
  pause 6
  murder light
  pause 2
  drop device "$only_byebye"
  gssdp again device --on eth0=192.168.77.10 --max-age 40 --boot 101
  pause 5
  dropped device
  poke control 192.168.77.10
  byebye again
}

gssdp-ipv6() {
  title="A gssdp device on a link-local and on a unique local IPv6 address"
  why="The groups ff02::c and ff0e::c, LOCATION with a bracketed address, one link-local and without a zone; nobody answers on ff0e::c."
  software="libgssdp-1.6-0 python3-gi" need="notify-alive>=8 response>=4 search>=2 notify-byebye>=8"
  ipv6=1
  net device control
  cable device eth0 0a control eth0 14
  address device eth0 fd00:77::10/64
  address control eth0 fd00:77::20/64
  network="device fe80::ff:fe77:a and fd00:77::10, control fe80::ff:fe77:14 and fd00:77::20, one veth pair, captured at control"
  pause 3
  capture control eth0 eth0 'icmp6 or udp port 1900'
  gssdp light device --on eth0=fe80::ff:fe77:a --on eth0=fd00:77::10 --max-age 60
  pause 4
  act control /usr/bin/python3 "$tools/gssdp-browse.py" --on eth0=fe80::ff:fe77:14 --on eth0=fd00:77::20 --mx 2 --seconds 4
  pause 2
  byebye light
}

miniupnpd-ipv6() {
  title="upnpc -6 finds a MiniUPnPd router over IPv6"
  why="One root on ff02::c and ff05::c with the same LOCATION; the search comes from a link-local address."
  software="miniupnpd miniupnpc" need="notify-alive>=13 search>=1 response>=1 tcp>=10 notify-byebye>=13"
  ipv6=1
  net router control
  cable router eth0 01 control eth0 14
  address router eth0 192.168.77.1/24
  address router eth0 fd00:77::1/64
  address control eth0 fd00:77::20/64
  network="router fe80::ff:fe77:1 and fd00:77::1, control fe80::ff:fe77:14 and fd00:77::20, one veth pair, captured at control
the capture leaves out IPv4 and the group ff0e::c"
  pause 3
  capture control eth0 eth0 'ip6 and not dst host ff0e::c and (icmp6 or udp port 1900 or tcp)'
  miniupnpd daemon router 60
  pause 3
  act control upnpc -6 -m eth0 -s
  pause 1
  byebye daemon
}

gssdp-two-interfaces() {
  title="A gssdp device on two interfaces, of which one goes down"
  why="The same USN with two LOCATIONs; the second network falls silent without a byebye, the device stays on the first."
  software="libgssdp-1.6-0 python3-gi gupnp-tools" need="notify-alive>=16 response>=8 notify-byebye>=8"
  net device control
  cable device eth0 0a control eth0 14
  cable device eth1 1a control eth1 24
  address device eth0 192.168.77.10/24
  address device eth1 192.168.78.10/24
  address control eth0 192.168.77.20/24
  address control eth1 192.168.78.20/24
  network="device 192.168.77.10 on eth0 and 192.168.78.10 on eth1, control 192.168.77.20 and 192.168.78.20, two veth pairs
captured at control on both interfaces"
  capture control eth0 eth0 "$ipv4"
  capture control eth1 eth1 "$ipv4"
  gssdp light device --on eth0=192.168.77.10 --on eth1=192.168.78.10 --max-age 24
  pause 3
  discover 2 eth0
  discover 2 eth1
  pause 1
  event "the device's eth1 goes down"
  ip -n "$device" link set eth1 down
  pause 24
  byebye light
  pause 1
}

minidlna-two-interfaces() {
  title="MiniDLNA on two interfaces, captured cooked on all of control's at once"
  why="One frame stream of link type Linux cooked v2: the interface is in the frame, not in the file's header."
  software="minidlna" need="notify-alive>=24 response>=12 notify-byebye>=12"
  net device control
  cable device eth0 0a control eth0 14
  cable device eth1 1a control eth1 24
  address device eth0 192.168.77.10/24
  address device eth1 192.168.78.10/24
  address control eth0 192.168.77.20/24
  address control eth1 192.168.78.20/24
  network="device 192.168.77.10 on eth0 and 192.168.78.10 on eth1, control 192.168.77.20 and 192.168.78.20, two veth pairs
captured at control with tcpdump -i any"
  capture control any any "$ipv4"
  minidlna server device 60 eth0,eth1
  pause 3
  search control --from 192.168.77.20 --wait 1 group,ssdp:all,1
  search control --from 192.168.78.20 --wait 1 group,ssdp:all,1
  byebye server
  pause 1
}

gssdp-address-change() {
  title="A gssdp device gets another address"
  why="The new LOCATION and BOOTID come from the new address; byebye for the old ones has nowhere to go."
  software="libgssdp-1.6-0 python3-gi" need="notify-alive>=16 notify-byebye>=8"
  pair
  capture control eth0 eth0 "$ipv4"
  gssdp light device --on eth0=192.168.77.10 --next eth0=192.168.77.11 --max-age 30 --boot 7
  pause 6
  event "the device's address changes from 192.168.77.10 to .11, and it is told (SIGUSR2)"
  ip -n "$device" address delete 192.168.77.10/24 dev eth0
  address device eth0 192.168.77.11/24
  kill -USR2 "$light"
  pause 11
  search control --from 192.168.77.20 --wait 2 group,upnp:rootdevice,1 192.168.77.10,upnp:rootdevice,1
  byebye light
}

minidlna-address-change() {
  title="MiniDLNA's address changes under it"
  why="MiniDLNA watches its addresses by itself: what it says on the old and on the new one is here as it came."
  software="minidlna" need="notify-alive>=12"
  pair
  capture control eth0 eth0 "$ipv4"
  minidlna server device 10
  pause 6
  event "the device's address changes from 192.168.77.10 to .11"
  ip -n "$device" address add 192.168.77.11/24 dev eth0
  ip -n "$device" address delete 192.168.77.10/24 dev eth0
  address device eth0 192.168.77.11/24 2>/dev/null
  ip -n "$device" route replace 239.0.0.0/8 dev eth0
  pause 16
  search control --from 192.168.77.20 --wait 2 group,ssdp:all,1,2 192.168.77.11,ssdp:all,1
  pause 14
  byebye server
  poke control 192.168.77.11
}

bridge-snooping-querier-gone() {
  title="A snooping bridge loses its IGMP querier: multicast ends, unicast goes on"
  why="Memberships time out, NOTIFY and multicast M-SEARCH no longer get through, and a device that is alive is lost."
  software="libgssdp-1.6-0 python3-gi gupnp-tools" need="igmp>=4 notify-alive>=8 expired>=4 returned>=4 response>=8"
  net bridge device control router
  cable device eth0 0a bridge p1 f1
  cable control eth0 14 bridge p2 f2
  cable router eth0 01 bridge p3 f3
  ip -n "$bridge" link add br0 type bridge mcast_snooping 1 mcast_querier 0 mcast_membership_interval 1000
  ip -n "$router" link add br0 address 02:00:00:77:00:01 type bridge mcast_snooping 1 mcast_querier 0 mcast_query_use_ifaddr 1 \
    mcast_query_interval 400 mcast_query_response_interval 100 mcast_startup_query_interval 100
  local port
  for port in p1 p2 p3; do ip -n "$bridge" link set "$port" master br0; done
  ip -n "$router" link set eth0 master br0
  ip -n "$bridge" link set br0 up
  ip -n "$router" link set br0 up
  address device eth0 192.168.77.10/24
  address control eth0 192.168.77.20/24
  address router br0 192.168.77.1/24
  network="device 192.168.77.10, control 192.168.77.20 and router 192.168.77.1 on a bridge with mcast_snooping 1
the bridge's mcast_membership_interval is 10 s, its mcast_querier 0; the router's querier asks every 4 s (IGMPv2)
captured at control"
  capture control eth0 eth0 "$ipv4"
  event "the router's querier is switched on"
  ip -n "$router" link set br0 type bridge mcast_querier 1
  pause 4
  gssdp light device --on eth0=192.168.77.10 --max-age 18
  start listener control gssdp-discover -i eth0 -n 90
  pause 11
  event "the router's querier is switched off"
  ip -n "$router" link set br0 type bridge mcast_querier 0
  pause 14
  search control --from 192.168.77.20 --wait 2 group,upnp:rootdevice,1
  pause 14
  search control --from 192.168.77.20 --wait 1 group,ssdp:all,1
  event "a unicast search goes where multicast does not"
  search control --from 192.168.77.20 --wait 2 192.168.77.10,ssdp:all,1
  event "the router's querier is switched on again"
  ip -n "$router" link set br0 type bridge mcast_querier 1
  pause 7
  search control --from 192.168.77.20 --wait 2 group,upnp:rootdevice,1
  byebye light
  pause 1
  finish "$listener" INT
}

minidlna-lossy-renewals() {
  title="MiniDLNA's announcements with two of five lost at random"
  why="Two copies of each message at each renewal, and max-age of more than two intervals: what loss leaves is enough, or is not."
  software="minidlna nftables" need="notify-alive>=12"
  pair
  capture control eth0 eth0 "$ipv4"
  drop device "udp dport 1900 numgen random mod 100 < 40 counter drop"
  minidlna server device 6
  pause 33
  dropped device
  byebye server
  poke control 192.168.77.10
}

lossy-search-retries() {
  title="Eight searches in a row with two of five searches and two of five answers lost at random"
  why="One search finds a part of the set, or nothing; the retries fill it up."
  software="minidlna nftables" need="search>=2 response>=4"
  pair
  capture control eth0 eth0 "$ipv4"
  minidlna server device 60
  pause 3
  drop device "udp sport 1900 numgen random mod 100 < 40 counter drop"
  drop control "udp dport 1900 numgen random mod 100 < 40 counter drop"
  local each=group,ssdp:all,1,1
  search control --from 192.168.77.20 --wait 1 $each $each $each $each $each $each $each $each
  dropped control
  dropped device
  byebye server
  poke control 192.168.77.10
}

gssdp-renewal-just-in-time() {
  title="A gssdp device renews a second before each lease ends"
  why="A listener that rounds a lease down, or ends it early, loses a device that never was away."
  software="libgssdp-1.6-0 python3-gi" need="notify-alive>=36 expired=0"
  pair
  capture control eth0 eth0 "$ipv4"
  gssdp light device --on eth0=192.168.77.10 --max-age 11 --renew 10 --delay 20
  pause 34
  byebye light
}

gssdp-renewal-lost() {
  title="One renewal of a gssdp device is lost, and its lease ends before the next"
  why="The device is lost at the lease's end and found again at the renewal after."
  software="libgssdp-1.6-0 python3-gi nftables" need="notify-alive>=24 expired>=4 returned>=4"
  pair
  capture control eth0 eth0 "$ipv4"
  gssdp light device --on eth0=192.168.77.10 --max-age 11 --renew 10 --delay 20
  pause 15
  drop device "udp dport 1900 counter drop"
  pause 10
  dropped device
  pause 8
  byebye light
}

gssdp-byebye-never-came() {
  title="A gssdp device ends properly, but every byebye is lost"
  why="To the network it looks like kill -9: the lease has to end."
  software="libgssdp-1.6-0 python3-gi nftables" need="notify-alive>=8 expired>=4"
  pair
  capture control eth0 eth0 "$ipv4"
  gssdp light device --on eth0=192.168.77.10 --max-age 21
  pause 9
  drop device "$only_byebye"
  byebye light
  dropped device
  pause 22
  search control --from 192.168.77.20 --wait 1 group,upnp:rootdevice,1
  poke control 192.168.77.10
}

minissdpd-cache-and-answers() {
  title="minissdpd on both sides: answers for a service that announces nothing, and a cache that upnpc asks"
  why="upnpc fetches the description of a router that it never searched for; a device is known by answers alone."
  software="minissdpd miniupnpd miniupnpc python3-gi" need="notify-alive>=13 search>=3 response>=1 tcp>=5"
  net router control
  cable router eth0 01 control eth0 14
  address router eth0 192.168.77.1/24
  address control eth0 192.168.77.20/24
  network="router 192.168.77.1 and control 192.168.77.20, one veth pair, captured at control"
  capture control eth0 eth0 "$ipv4"
  start answers router minissdpd -d -i eth0 -s "$folder/router.sock" -p "$folder/router.pid"
  start cache control minissdpd -d -i eth0 -s "$folder/control.sock" -p "$folder/control.pid"
  pause 1
  miniupnpd daemon router 40 -4
  pause 3
  local root=uuid:00000000-0000-4000-8000-000000007712
  act router /usr/bin/python3 "$tools/minissdpd-submit.py" "$folder/router.sock" upnp:rootdevice \
    "$root::upnp:rootdevice" "Debian/12 UPnP/1.0 Example/1.0" http://192.168.77.1:49300/sensor.xml
  event "upnpc asks control's minissdpd, not the network"
  act control upnpc -p "$folder/control.sock" -s
  search control --from 192.168.77.20 --wait 2 group,upnp:rootdevice,1
  poke control 192.168.77.1
}

lan-raw-searches() {
  title="One socket searches three different devices in every way"
  why="ssdp:all by unicast and multicast and a typed search at once from one port; MX 0, 120, missing, no number; MAN bare."
  software="minidlna miniupnpd libgssdp-1.6-0 python3-gi" need="search>=10 response>=30 notify-alive=0"
  net bridge router device other control
  cable router eth0 01 bridge p1 f1
  cable device eth0 0a bridge p2 f2
  cable other eth0 0b bridge p3 f3
  cable control eth0 14 bridge p4 f4
  ip -n "$bridge" link add br0 type bridge mcast_snooping 0
  local port
  for port in p1 p2 p3 p4; do ip -n "$bridge" link set "$port" master br0; done
  ip -n "$bridge" link set br0 up
  address router eth0 192.168.77.1/24
  address device eth0 192.168.77.10/24
  address other eth0 192.168.77.11/24
  address control eth0 192.168.77.20/24
  network="router 192.168.77.1 (MiniUPnPd), device 192.168.77.10 (MiniDLNA), other 192.168.77.11 (gssdp), control 192.168.77.20
on a bridge without snooping, captured at control after the devices' first announcements"
  miniupnpd daemon router 120 -4
  minidlna server device 120
  gssdp light other --on eth0=192.168.77.11 --max-age 300 --uuid 00000000-0000-4000-8000-000000007711
  pause 6
  capture control eth0 eth0 "$ipv4"
  search control --from 192.168.77.20 --wait 2 192.168.77.11,ssdp:all,1 192.168.77.10,ssdp:all,1 \
    group,ssdp:all,1 group,urn:schemas-upnp-org:device:MediaServer:1,1
  search control --from 192.168.77.20 --wait 2 group,upnp:rootdevice,0,2 group,upnp:rootdevice,-,2 \
    group,upnp:rootdevice,soon,2 group,urn:schemas-upnp-org:device:Basic:1,1,1 \
    group,uuid:00000000-0000-4000-8000-000000007711,2
  search control --from 192.168.77.20 --wait 2 --man ssdp:discover group,upnp:rootdevice,1
  search control --from 192.168.77.20 --wait 3 group,upnp:rootdevice,120
  poke control 192.168.77.1
}

scenes=(minidlna-start-and-byebye minidlna-killed-lease-expires miniupnpd-upnpc-and-byebye miniupnpd-killed-lease-expires
  miniupnpd-restarted-new-bootid gssdp-update-bootid gssdp-killed-lease-expires gssdp-rebooted-new-bootid gssdp-ipv6
  miniupnpd-ipv6 gssdp-two-interfaces minidlna-two-interfaces gssdp-address-change minidlna-address-change
  bridge-snooping-querier-gone minidlna-lossy-renewals lossy-search-retries gssdp-renewal-just-in-time gssdp-renewal-lost
  gssdp-byebye-never-came minissdpd-cache-and-answers lan-raw-searches)

# ---- multicast DNS -----------------------------------------------------------------------------------------------

avahi-publishes-and-leaves() {
  title="avahi publishes a service, withdraws it, and ends"
  why="Probes for the host and the service, announcements, and goodbyes of both."
  software="avahi-daemon avahi-utils" need="mdns-query>=6 mdns-response>=6"
  pair
  capture control eth0 eth0 "$ipv4_mdns"
  avahi daemon device avahi-host
  pause 4
  publish service device -s "A web page" _http._tcp 80 path=/ "note=a b"
  pause 5
  byebye service
  pause 3
  byebye daemon
  pause 2
}

avahi-browses-avahi() {
  title="avahi-browse finds and resolves what another avahi publishes"
  why="Questions with known answers, shared and unique answers, each in its time."
  software="avahi-daemon avahi-utils" need="mdns-query>=6 mdns-response>=6"
  pair
  capture control eth0 eth0 "$ipv4_mdns"
  avahi daemon device avahi-host
  pause 3
  publish service device -s Printer _ipp._tcp 631 rp=printers/a
  pause 6
  avahi other control avahi-control
  pause 3
  browse control
  pause 3
  byebye service
  pause 2
}

avahi-name-conflict() {
  title="Two avahis have one name and one service"
  why="The second one is denied both names while it probes, and takes others."
  software="avahi-daemon avahi-utils" need="mdns-query>=6 mdns-response>=6"
  pair
  capture control eth0 eth0 "$ipv4_mdns"
  avahi first device twin
  pause 3
  publish service device -s Twin _http._tcp 80
  pause 5
  avahi second control twin
  pause 4
  publish other control -s Twin _http._tcp 81
  pause 8
  byebye other
  pause 2
}

avahi-meets-rollcall() {
  title="avahi-browse finds what 'rollcall serve' offers"
  why="Our own responder on real sockets beside a real querier."
  software="avahi-daemon avahi-utils" need="mdns-query>=6 mdns-response>=6"
  pair
  capture control eth0 eth0 "$ipv4_mdns"
  say commands "device: rollcall serve Tools/live/mdns-house.yaml -i eth0"
  launch house "$folder/house.log" "$folder/house.log" device "${ROLLCALL:-$here/../.build/debug/rollcall}" serve "$here/live/mdns-house.yaml" -i eth0
  program[house]=rollcall
  pause 5
  avahi other control avahi-control
  pause 3
  browse control
  pause 3
  event "rollcall is told to end (SIGINT)"
  finish "$house" INT
  pause 2
}
