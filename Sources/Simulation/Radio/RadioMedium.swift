package import RollcallPrimitives
import RollcallWire

/// The air of Bluetooth LE: advertising, scanning, connections, and what becomes of packets on their way, in virtual
/// time.
///
/// On the three advertising channels every packet is bytes, and so are those that extended advertising leads to. A
/// receiver has it where it listens for all of it on that channel, does not send itself, and hears it strongly enough,
/// with no other packet nearly as strong at the same time.
/// A connection has channels of its own, which change with each event: there packets meet no others, and are lost by
/// distance and by the receiver's losses alone.
package final class RadioMedium: Medium {
  /// Of a packet that goes on the air.
  package typealias Tap = (_ bytes: [UInt8], _ channel: UInt8, _ start: Instant, _ host: Int) -> Void

  package let port = PortNumber.radio
  let air: AirPlan
  /// From here on nothing is lost but by strength and by other packets.
  let heal: Int64
  let seed: Seed
  var radios: [Radio] = []
  /// The radio of each host; `nil`: it has none.
  private var radioOf: [Int?] = []
  /// The radios that scan, in the order of their hosts.
  var scanners: [Int] = []
  /// Those of advertising, then the data channels, for what extended advertising leads to.
  var channels =
    [AirChannel](repeating: AirChannel(), count: 3)
    + [AirChannel](repeating: AirChannel(airtimeMaximum: AirPacket.auxiliaryAirtimeMaximum), count: 37)
  /// Packets of which it is decided at their end who has them.
  var hearings: [Hearing] = []
  var freeHearings: [Int] = []
  var links: [RadioLink] = []
  var freeLinks: [Int] = []
  /// Connections that at least one side has not given up yet.
  package var linkCount: Int { links.count - freeLinks.count }
  /// Shown every packet that goes on the air, heard or not.
  package var tap: Tap?
  /// Advertising events so far.
  package private(set) var eventCount = 0

  /// Legacy advertising takes 20 ms to 10.24 s, the extended one up to some 10 486 s.
  package static let intervals = Interval.milliseconds(20)...Interval.seconds(10_486)
  /// Window and interval of a scan.
  package static let scanIntervals = Interval.microseconds(2_500)...Interval.milliseconds(40_960)
  /// Added to each advertising interval, drawn afresh: two that began together separate.
  package static let delays = Interval.zero...Interval.milliseconds(10)
  static let setsMaximum = 16

  package init(_ plan: RadioPlan, seed: Seed) {
    air = plan.air
    heal = plan.heal?.nanoseconds ?? .max
    self.seed = seed
    for (host, radio) in plan.radios.enumerated() {
      radioOf.append(radio == nil ? nil : radios.count)
      if let radio { radios.append(Radio(radio, host: host, seed: seed)) }
    }
  }

  package func begin(schedule: MediumSchedule) {
    for radio in radios.indices {
      schedule.deliver(HostSignal.power(.on), to: radios[radio].host, at: .zero)
      for change in radios[radio].plan.switches {
        schedule.call(RadioToken.power(radio, isOn: change.isOn).word, at: change.at)
      }
    }
  }

  // MARK: - What machines want

  package func want(_ value: any PortValue, from host: Int, schedule: MediumSchedule) {
    guard let effect = value as? RadioEffect, let radio = radioOf[host] else { return }
    guard radios[radio].isOn else {
      if case .link(let number, .connect) = effect {
        tell(.ended(.refused), of: number, to: radio, at: schedule.now, schedule)
      }
      return
    }
    switch effect {
    case .advertise(let number, let every, let pdu, let response):
      guard let set = AdvertisingSet(number, every: every, pdu: pdu, response: response) else {
        // A controller refuses what it could not send, and the set is silent.
        return radios[radio].stop(number)
      }
      guard let generation = radios[radio].start(set) else { return }
      let delay = radios[radio].draws.interval(in: RadioMedium.delays)
      schedule.call(RadioToken.event(radio, number, generation).word, at: schedule.now + delay)
    case .stopAdvertising(let number): radios[radio].stop(number)
    case .scan(let window, let interval, let isActive):
      guard RadioMedium.scanIntervals.contains(window), RadioMedium.scanIntervals.contains(interval),
        window <= interval
      else { return }
      radios[radio].scan = Scan(
        start: schedule.now.nanoseconds, window: window.nanoseconds, interval: interval.nanoseconds,
        isActive: isActive)
      listScanners()
    case .stopScan:
      radios[radio].scan = nil
      listenForAdvertisers(radio, at: schedule.now)
    case .link(let number, let effect): want(effect, of: number, from: radio, schedule: schedule)
    case .setAddress(let address): radios[radio].ownAddress = address
    case .resend(let packet): resend(packet, from: radio, schedule)
    case .reset:
      silence(radio, nil, schedule)
      radios[radio].ownAddress = Radio.firstAddress(ofHost: radios[radio].host)
    }
  }

  /// It sends and listens no more, and leaves its connections without a word.
  private func silence(_ radio: Int, _ cause: LinkEnd?, _ schedule: MediumSchedule) {
    for set in radios[radio].sets { radios[radio].stop(set.number) }
    endLinks(of: radio, cause, schedule)
    radios[radio].scan = nil
    listScanners()
  }

  func listScanners() { scanners = radios.indices.filter { radios[$0].scan != nil } }

  // MARK: - What is due

  package func due(_ token: UInt64, schedule: MediumSchedule) {
    switch RadioToken(word: token) {
    case .event(let radio, let number, let generation): event(radio, number, generation, schedule)
    case .hearing(let place): hear(place, schedule)
    case .power(let radio, let isOn): power(radio, isOn, schedule)
    case .link(let place, let turn): linkIsDue(place, turn: turn, schedule)
    }
  }

  /// Off: it neither sends nor hears. On again, it begins nothing by itself.
  private func power(_ radio: Int, _ isOn: Bool, _ schedule: MediumSchedule) {
    guard radios[radio].isOn != isOn else { return }
    radios[radio].isOn = isOn
    if !isOn { silence(radio, .radioOff, schedule) }
    schedule.deliver(HostSignal.power(isOn ? .on : .off), to: radios[radio].host, at: schedule.now)
  }

  /// A set sends its packet once on each channel.
  private func event(_ radio: Int, _ number: UInt8, _ generation: UInt32, _ schedule: MediumSchedule) {
    guard let set = radios[radio].running(number, generation) else { return }
    let now = schedule.now.nanoseconds
    let token = RadioToken.event(radio, number, generation).word
    // A radio sends one thing at a time.
    if radios[radio].deafUntil > now {
      return schedule.call(token, at: Instant(nanoseconds: radios[radio].deafUntil))
    }
    let delay = radios[radio].draws.interval(in: RadioMedium.delays)
    let draw = radios[radio].draws.next()
    eventCount += 1
    schedule.call(token, at: schedule.now + set.interval + delay)
    (radios[radio].deafFrom, radios[radio].deafUntil) = (now, now + set.eventLength)
    if scanners.isEmpty, tap == nil { return }
    if set.isExtended { return sendExtended(set, from: radio, draw: draw, at: now, schedule) }
    for channel in 0..<3 {
      let start = now + Int64(channel) * set.step
      let packet = AirPacket(
        start: start, end: start + set.airtime, radio: radio, channel: channel, draw: draw &+ UInt64(channel),
        bytes: set.pdu)
      send(packet, at: now)
      if mayBeHeard(packet) { decide(packet, .advertisement(number, generation), schedule) }
    }
  }

  func send(_ packet: AirPacket, at now: Int64) {
    channels[packet.channel].add(packet, at: now)
    tap?(
      packet.bytes, packet.channelNumber, Instant(nanoseconds: packet.start), radios[packet.radio].host)
  }

  /// Whether a radio might hear it, as far as can be said when it is sent.
  func mayBeHeard(_ packet: AirPacket) -> Bool {
    scanners.contains { $0 != packet.radio && radios[$0].scan?.covers(packet) == true }
  }

  /// When the packet ends it is decided who has it: only then is it known what else was on the air.
  func decide(_ packet: AirPacket, _ purpose: Hearing.Purpose, _ schedule: MediumSchedule) {
    let hearing = Hearing(packet: packet, purpose: purpose)
    let place: Int
    if let free = freeHearings.popLast() {
      place = free
      hearings[place] = hearing
    } else {
      place = hearings.count
      hearings.append(hearing)
    }
    schedule.call(RadioToken.hearing(place).word, at: Instant(nanoseconds: packet.end))
  }
}

/// A packet that is to be heard, and what it is for.
struct Hearing {
  enum Purpose {
    /// For every radio that scans; the set that sent it can be asked for its response.
    case advertisement(UInt8, UInt32)
    /// A scanner asks this set of a radio.
    case request(of: Int, UInt8, UInt32)
    /// The answer to the radio that asked.
    case response(to: Int)
    /// A radio asks this set of a radio for a connection.
    case connection(to: Int, UInt8, UInt32, RadioMedium.Initiation)
    /// ADV_EXT_IND, for every radio that scans: it says where the packet of this set is.
    case pointer(UInt8, UInt32)
    /// The packet that ADV_EXT_IND led this radio to.
    case auxiliary(for: Int, UInt8, UInt32)
    /// AUX_CONNECT_RSP of this set, for the radio that asked.
    case connectResponse(to: Int, UInt8, RadioMedium.Initiation)
  }
  var packet: AirPacket
  var purpose: Purpose
}

/// What the medium schedules for itself, as a word.
enum RadioToken {
  /// A radio, the number of a set and its generation.
  case event(Int, UInt8, UInt32)
  case hearing(Int)
  case power(Int, isOn: Bool)
  /// A connection, and which of the times that it was scheduled for.
  case link(Int, turn: UInt32)

  var word: UInt64 {
    switch self {
    case .event(let radio, let set, let generation):
      1 &<< 62 | UInt64(generation & AdvertisingSet.generationMask) &<< 32 | UInt64(set) &<< 24 | UInt64(radio)
    case .hearing(let place): 2 &<< 62 | UInt64(place)
    case .power(let radio, let isOn): 3 &<< 62 | UInt64(radio) &<< 1 | (isOn ? 1 : 0)
    case .link(let place, let turn): UInt64(turn) &<< 24 | UInt64(place)
    }
  }

  init(word: UInt64) {
    let rest = word & (1 &<< 62 - 1)
    switch word &>> 62 {
    case 1:
      self = .event(
        Int(rest & 0xFF_FFFF), UInt8(truncatingIfNeeded: rest &>> 24),
        UInt32(truncatingIfNeeded: rest &>> 32))
    case 2: self = .hearing(Int(rest))
    case 3: self = .power(Int(rest &>> 1), isOn: rest & 1 == 1)
    default: self = .link(Int(rest & 0xFF_FFFF), turn: UInt32(truncatingIfNeeded: rest &>> 24))
    }
  }
}
