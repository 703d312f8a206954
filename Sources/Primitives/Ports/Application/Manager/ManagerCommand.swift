/// What an application asks of the manager of an engine.
public enum ManagerCommand: Hashable, Sendable {
  /// To make devices for the application from now on, in this way: what was told before is forgotten, and so are keys that the
  /// setup does not remember.
  case begin(DiscoverySetup)
  /// To search and to tell of devices: again after `stop`.
  case start
  /// The application is in the background: searches end, and every device is lost.
  case stop
  /// To tell of devices from now on that meet one of these, or of all where there are none.
  case filter([CapabilityFilter])
  /// The application ends, and is started anew: of devices it knows what its store keeps, and nothing else. It asks for
  /// what it asked for last, and has the sessions that it launched, which it keeps itself.
  case relaunch
  /// The user wants all devices to be forgotten: what is there stays, and is not in the store.
  case removeAll
  /// Takes effect for devices that are found or connected from now on.
  case pairing(PairingLevel)
  /// To look for these services from now on, and for no others: what is lost and found by that is told at once.
  case register([ServiceRegistration])
  /// To search now, whatever the next search is due.
  case rescan
  /// Something of one device: by its id, or by the name of a device of the directory that it stands for, or of a part.
  case device(String, DeviceCommand)
  /// The application found a device itself, or that device is as it says now; what breaks its bounds is not taken.
  case provide(ProvidedDevice)
  /// The device that the application found under this id is gone.
  case withdraw(String)
}

extension ManagerCommand {
  func fold(into digest: inout Digest) {
    digest.combine(11)
    var words = WordWriter()
    write(to: &words)
    digest.combine(words.text)
  }

  func write(to words: inout WordWriter) {
    words.add("manager")
    switch self {
    case .begin(let setup):
      words.add("begin")
      setup.write(to: &words)
    case .start: words.add("start")
    case .stop: words.add("stop")
    case .rescan: words.add("rescan")
    case .relaunch: words.add("relaunch")
    case .removeAll: words.add("remove-all")
    case .pairing(let level):
      words.add("pairing")
      words.add(level.rawValue)
    case .register(let registrations):
      words.add("register")
      words.registrations(registrations)
    case .filter(let filters):
      words.add("filter")
      words.add(filters.count)
      for filter in filters { words.names(filter.capabilities.map(\.name)) }
    case .device(let device, let command):
      words.add("device")
      words.name(device)
      command.write(to: &words)
    case .provide(let device):
      words.add("provide")
      device.write(to: &words)
    case .withdraw(let id):
      words.add("withdraw")
      words.name(id)
    }
  }

  /// From behind the word `manager` on.
  init(from words: inout WordReader) throws(WordError) {
    let expected =
      "begin, start, stop, rescan, relaunch, remove-all, register, pairing, filter, device, provide or withdraw"
    switch try words.next(expected) {
    case "begin": self = .begin(try DiscoverySetup(from: &words))
    case "start": self = .start
    case "stop": self = .stop
    case "rescan": self = .rescan
    case "relaunch": self = .relaunch
    case "remove-all": self = .removeAll
    case "register": self = .register(try words.registrations())
    case "pairing": self = .pairing(try words.value(PairingLevel.self, "off, protected or on"))
    case "filter": self = .filter(try words.filters())
    case "device":
      let device = try words.name("the id or the name of a device")
      self = .device(device, try DeviceCommand(from: &words))
    case "provide": self = .provide(try ProvidedDevice(from: &words))
    case "withdraw": self = .withdraw(try words.name("the id of a device"))
    default: throw words.error(expected)
    }
  }
}

extension ManagerCommand {
  /// What people read.
  public var text: String {
    switch self {
    case .begin: "begin"
    case .start: "start"
    case .stop: "stop"
    case .rescan: "search again"
    case .relaunch: "the application is started anew"
    case .removeAll: "forget all devices"
    case .register(let registrations):
      registrations.isEmpty ? "no service" : "services " + registrations.map(\.id).joined(separator: ", ")
    case .pairing(let level): "pairing level \(level.rawValue)"
    case .filter(let filters):
      filters.isEmpty
        ? "no filter"
        : filters.map { "[" + $0.capabilities.map(\.name).joined(separator: ", ") + "]" }.joined(separator: " or ")
    case .device(let device, let command): "\(command.text), \(device)"
    case .provide(let device): "there is \(device.id)"
    case .withdraw(let id): "\(id) is gone"
    }
  }
}
