/// What every message quirk that changes single lines makes of an announcement, an answer, a byebye and an update about
/// the service `ContentDirectory:3`, for which the search asked as `:2`.
///
/// Written by `quirkDifference` and read by people: a new quirk belongs here with the lines that it is about.
let quirkGoldens = #"""
  noBlankLine
  alive response byebye update:
    - 
  nulAfterBlankLine
  alive response byebye update:
    + \x00
  lfInServer
  alive response:
    - SERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0
    + SERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0\n
    + Firmware 2.1
  lineWithoutColon
  alive response byebye update:
    + this line has no colon
  lookalikeFields
  alive response update:
    + LOCATIONX: http://192.0.2.1/lookalike.xml
    + U: uuid:00000000-0000-4000-8000-000000000000
    + USN-OLD: uuid:00000000-0000-4000-8000-000000000000
  byebye:
    + U: uuid:00000000-0000-4000-8000-000000000000
    + USN-OLD: uuid:00000000-0000-4000-8000-000000000000
    + LOCATIONX: http://192.0.2.1/lookalike.xml
  contentLength
  alive response byebye update:
    + Content-Length: 0
  body
  alive response byebye update:
    + Content-Length: 12
    + <notify />
  http10
  alive byebye update:
    - NOTIFY * HTTP/1.1
    + NOTIFY * HTTP/1.0
  response:
    - HTTP/1.1 200 OK
    + HTTP/1.0 200 OK
  lowerCaseMethod
  alive byebye update:
    - NOTIFY * HTTP/1.1
    + notify * HTTP/1.1
  response:
    - HTTP/1.1 200 OK
    + http/1.1 200 ok
  foldedField
  alive response:
    +  (folded)
  duplicateServer
  alive response:
    + SERVER: Other/9.9 UPnP/1.0 Other/9.9
  ntsInResponse
  response:
    + NTS: ssdp:alive
  nonUTF8
  alive response:
    - SERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0
    + SERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0 \xe9\xff\xc0\x80
  manInNotify
  alive byebye update:
    + MAN: "ssdp:discover"
  maxAgeColon
  alive response:
    - CACHE-CONTROL: max-age=1800
    + CACHE-CONTROL: max-age=:1800
  maxAgeSpaces
  alive response:
    - CACHE-CONTROL: max-age=1800
    + CACHE-CONTROL: max-age = 1800
  maxAgeQuoted
  alive response:
    - CACHE-CONTROL: max-age=1800
    + CACHE-CONTROL: max-age="1800"
  maxAgeExtraDirectives
  alive response:
    - CACHE-CONTROL: max-age=1800
    + CACHE-CONTROL: no-cache="Ext", max-age=1800, must-revalidate
  maxAgeLeadingZero
  alive response:
    - CACHE-CONTROL: max-age=1800
    + CACHE-CONTROL: max-age=01800
  maxAgeNegative
  alive response:
    - CACHE-CONTROL: max-age=1800
    + CACHE-CONTROL: max-age=-1
  maxAgeTwentyDigits
  alive response:
    - CACHE-CONTROL: max-age=1800
    + CACHE-CONTROL: max-age=99999999999999999999
  noCacheControl
  alive response:
    - CACHE-CONTROL: max-age=1800
  noServer
  alive response:
    - SERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0
  malformedServer
  alive response:
    - SERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0
    + SERVER: Unspecified, UPnP/1.0, Unspecified
  noHost
  alive byebye update:
    - HOST: 239.255.255.250:1900
  hostWithoutPort
  alive byebye update:
    - HOST: 239.255.255.250:1900
    + HOST: 239.255.255.250
  noNTS
  alive:
    - NTS: ssdp:alive
  byebye:
    - NTS: ssdp:byebye
  update:
    - NTS: ssdp:update
  unknownNTS
  alive:
    - NTS: ssdp:alive
    + NTS: ssdp:here
  byebye:
    - NTS: ssdp:byebye
    + NTS: ssdp:here
  update:
    - NTS: ssdp:update
    + NTS: ssdp:here
  bareUUIDAsUSN
  alive byebye update:
    - USN: uuid:…::urn:…:ContentDirectory:3
    + USN: uuid:…
  response:
    - USN: uuid:…::urn:…:ContentDirectory:2
    + USN: uuid:…
  upperCaseUUIDScheme
  alive byebye update:
    - USN: uuid:…::urn:…:ContentDirectory:3
    + USN: UUID:…::urn:…:ContentDirectory:3
  response:
    - USN: uuid:…::urn:…:ContentDirectory:2
    + USN: UUID:…::urn:…:ContentDirectory:2
  usnWithoutUUID
  alive byebye update:
    - USN: uuid:…::urn:…:ContentDirectory:3
    + USN: urn:rollcall-example:unique:1
  response:
    - USN: uuid:…::urn:…:ContentDirectory:2
    + USN: urn:rollcall-example:unique:1
  noUSN
  alive byebye update:
    - USN: uuid:…::urn:…:ContentDirectory:3
  response:
    - USN: uuid:…::urn:…:ContentDirectory:2
  wrongSTEchoed
  response:
    - ST: urn:…:ContentDirectory:2
    + ST: upnp:rootdevice
  stAndNtTogether
  alive byebye update:
    + ST: urn:…:ContentDirectory:3
  response:
    + NT: urn:…:ContentDirectory:3
  noExt
  response:
    - EXT:
  noDate
  response:
    - DATE: Mon, 01 Jan 2024 00:00:00 GMT
  badDate
  response:
    - DATE: Mon, 01 Jan 2024 00:00:00 GMT
    + DATE: 1970-01-01 00:00:47
  dateInNotify
  alive byebye update:
    + DATE: Mon, 01 Jan 2024 00:00:00 GMT
    + EXT:
  hostInResponse
  response:
    + HOST: 239.255.255.250:1900
  locationInByebye
  byebye:
    + CACHE-CONTROL: max-age=1800
    + LOCATION: http://192.168.1.20:49152/description.xml
    + SERVER: Unspecified, UPnP/1.0, Unspecified
  bootIDMissingOnServices
  alive response byebye:
    - CONFIGID.UPNP.ORG: 1
    - BOOTID.UPNP.ORG: 7
  update:
    - NEXTBOOTID.UPNP.ORG: 8
    - CONFIGID.UPNP.ORG: 1
    - BOOTID.UPNP.ORG: 7
  claims11WithoutBootID
  alive response byebye:
    - CONFIGID.UPNP.ORG: 1
    - BOOTID.UPNP.ORG: 7
  update:
    - NEXTBOOTID.UPNP.ORG: 8
    - CONFIGID.UPNP.ORG: 1
    - BOOTID.UPNP.ORG: 7
  bootIDLeadingZeros
  alive response byebye update:
    - BOOTID.UPNP.ORG: 7
    + BOOTID.UPNP.ORG: 0007
  bootIDNegative
  alive response byebye update:
    - BOOTID.UPNP.ORG: 7
    + BOOTID.UPNP.ORG: -7
  servesStaleBootID
  response:
    - BOOTID.UPNP.ORG: 7
    + BOOTID.UPNP.ORG: 6
  vendorFields
  alive response byebye update:
    + X-User-Agent: redsonic
    + bridgeid: 0012FFFE345678
  locationEmpty
  alive response update:
    - LOCATION: http://192.168.1.20:49152/description.xml
    + LOCATION:
  locationRelative
  alive response update:
    - LOCATION: http://192.168.1.20:49152/description.xml
    + LOCATION: /description.xml
  locationEmptyPath
  alive response update:
    - LOCATION: http://192.168.1.20:49152/description.xml
    + LOCATION: http://192.168.1.20:49152/
  locationEmptyHost
  alive response update:
    - LOCATION: http://192.168.1.20:49152/description.xml
    + LOCATION: http://:49152/description.xml
  locationNullHost
  alive response update:
    - LOCATION: http://192.168.1.20:49152/description.xml
    + LOCATION: http://(null):49152/description.xml
  locationBadPort
  alive response update:
    - LOCATION: http://192.168.1.20:49152/description.xml
    + LOCATION: http://192.168.1.20:99999/description.xml
  locationZeroPort
  alive response update:
    - LOCATION: http://192.168.1.20:49152/description.xml
    + LOCATION: http://192.168.1.20:0/description.xml
  locationBlank
  alive response update:
    - LOCATION: http://192.168.1.20:49152/description.xml
    + LOCATION: http:// 192.168.1.20 /description.xml
  locationLoopback
  alive response update:
    - LOCATION: http://192.168.1.20:49152/description.xml
    + LOCATION: http://127.0.0.1:49152/description.xml
  locationLinkLocal
  alive response update:
    - LOCATION: http://192.168.1.20:49152/description.xml
    + LOCATION: http://169.254.99.1:49152/description.xml
  locationOtherSubnet
  alive response update:
    - LOCATION: http://192.168.1.20:49152/description.xml
    + LOCATION: http://172.17.0.2:49152/description.xml
  locationPublic
  alive response update:
    - LOCATION: http://192.168.1.20:49152/description.xml
    + LOCATION: http://203.0.113.7/description.xml
  locationBareIP
  alive response update:
    - LOCATION: http://192.168.1.20:49152/description.xml
    + LOCATION: 192.168.1.20
  locationStar
  alive response update:
    - LOCATION: http://192.168.1.20:49152/description.xml
    + LOCATION: *
    + AL: http://192.168.1.20:49152/description.xml
  noLocation
  alive response update:
    - LOCATION: http://192.168.1.20:49152/description.xml
  twoLocations
  alive response update:
    - LOCATION: http://192.168.1.20:49152/description.xml
    + LOCATION: http://192.168.1.20:49153/description.xml

  """#
