package import RollcallPrimitives
package import RollcallWire

/// A service that a host offers (RFC 6763).
package struct MDNSService: Hashable, Sendable {
  package var type: ServiceType
  /// What people call it: 1...63 bytes.
  package var instance: [UInt8]
  package var port: UInt16
  /// The data of its TXT record: strings behind their lengths, or one zero byte.
  package var txt: [UInt8]
  /// Labels as they stand below `_sub`.
  package var subtypes: [[UInt8]]

  package init(
    _ type: ServiceType, _ instance: String, port: UInt16, txt: [UInt8] = [0], subtypes: [String] = []
  ) {
    (self.type, self.instance, self.port) = (type, Array(instance.utf8), port)
    (self.txt, self.subtypes) = (txt.isEmpty ? [0] : txt, subtypes.map { Array($0.utf8) })
  }
}

/// What `reconfigure` does, one after the other.
package enum MDNSChange: Hashable, Sendable {
  case add(MDNSService)
  /// The service with this name in the plan, whatever it had to call itself since.
  case remove(instance: String)
  case setTXT(instance: String, [UInt8])
}

/// The figures of a responder. Those of RFC 6762 are the defaults.
package struct MDNSTiming: Hashable, Sendable {
  /// Before the first probe (§8.1).
  package var probeDelay: ClosedRange<Interval> = .zero ... .milliseconds(250)
  package var probeCount = 3
  package var probeGap = Interval.milliseconds(250)
  /// What the loser of a tie waits (§8.2).
  package var deferral = Interval.seconds(1)
  /// So many conflicts within that time, and the next attempt waits that long (§8.1).
  package var conflictCount = 15
  package var conflictWindow = Interval.seconds(10)
  package var conflictPause = Interval.seconds(5)
  /// 2...8 (§8.3); the gaps double.
  package var announceCount = 2
  package var announceGap = Interval.seconds(1)
  /// Before an answer that others may have, too (§6).
  package var sharedDelay: ClosedRange<Interval> = .milliseconds(20) ... .milliseconds(120)
  /// Before an answer to a query whose known answers go on (§7.2).
  package var truncatedDelay: ClosedRange<Interval> = .milliseconds(400) ... .milliseconds(500)
  /// From one multicast of a record to the next, and where a probe is answered (§6).
  package var recordGap = Interval.seconds(1)
  package var defenceGap = Interval.milliseconds(250)
  /// Of records with the host's name as owner or in their data, and of all others (§10).
  package var hostTTLSeconds: UInt32 = 120
  package var otherTTLSeconds: UInt32 = 4_500
  /// The most that a reply to a legacy query says (§6.7).
  package var legacyTTLSeconds: UInt32 = 10
  /// Off the network between the halves of a reboot.
  package var rebootPause = Interval.seconds(2)
  package init() {}
}

/// What a responder is made from.
package struct MDNSPlan: Hashable, Sendable {
  /// The label before `local`, 1...63 bytes.
  package var host: [UInt8]
  package var services: [MDNSService]
  package var changes: [MDNSChange] = []
  package var timing = MDNSTiming()
  /// Those of its addresses that it speaks from and announces; `nil`: all of them.
  package var announcedAddresses: [IPAddress]?
  package var quirks: [MDNSQuirk] = []
  /// Payload bytes of a message with more than one record.
  package var packetBytes = 1_440

  package init(host: String, services: [MDNSService] = []) {
    (self.host, self.services) = (Array(host.utf8), services)
  }

  package func has(_ quirk: MDNSQuirk) -> Bool { quirks.contains(quirk) }

  /// The plan as the quirks change it.
  var quirky: MDNSPlan {
    var plan = self
    for quirk in quirks {
      switch quirk {
      case .probesFast: plan.timing.probeGap = .milliseconds(100)
      case .shortDeferral: plan.timing.deferral = .milliseconds(200)
      case .noConflictPause: plan.timing.conflictPause = .zero
      case .announcesOnce: plan.timing.announceCount = 1
      case .announcesFast: (plan.timing.announceGap, plan.timing.recordGap) = (.milliseconds(300), .milliseconds(200))
      case .wrongTTL: plan.timing.hostTTLSeconds = 4_500
      case .answersAtOnce: plan.timing.sharedDelay = .zero ... .zero
      case .sameDelay: plan.timing.sharedDelay = .milliseconds(70) ... .milliseconds(70)
      case .shortDelays: plan.timing.sharedDelay = .milliseconds(20) ... .milliseconds(40)
      case .ignoresTruncation: plan.timing.truncatedDelay = plan.timing.sharedDelay
      case .answersTwice: plan.timing.recordGap = .milliseconds(200)
      case .badHostName: plan.host = plan.host.prefix(62) + [0xFF]
      case .controlInHostName: plan.host = plan.host.prefix(62) + [0x07]
      case .emptyText: for place in plan.services.indices { plan.services[place].txt = [] }
      default: break
      }
    }
    return plan
  }
}
