/// Both ends of an explanation, as a person reads them.
enum Explained {
  static let head = """
    scenario: One TV
    seeds: 1
    duration: 1m
    budget: {events: 10000000, entries: 10000000}
    segments: {lan: {subnet: 192.168.1.0/24, ipv6: false, snooping: false, membership-timeout: 260s}}
    engine:
      interfaces:
        - segment: lan
          addresses: [192.168.1.249/24]
          up: true
          outbound:
            latency: 0s
            loss: 0%
            duplicate: 0%
            reorder: 0%
            reorder-delay: 1ms..20ms
            corrupt: 0%
            queue: 64KiB
            mtu: 1500
    """

  static let tail = """
        refuses-joins: false
        refuses-multicast-sends: false
        members:
          tv: {addresses: [192.168.1.20], device: uuid:ff349908-4c0f-4cda-b7bd-1dcd8bd8a7ea}
    timeline: []
    faults: []
    expect:
      - {id: e1, vacuous-ok: false, found: tv, within: 0s..5s, for-each: [tv]}

    """
}
