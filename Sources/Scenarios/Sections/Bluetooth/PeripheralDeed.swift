package import RollcallPrimitives

/// The engine connects to a peripheral, or asks something of it.
package struct PeripheralDeed: Hashable, Sendable {
  /// The name of an inhabitant.
  package var who: String
  package var request: CentralCommand.Request
  /// So often, one right after the other.
  package var times: Int

  package init(who: String, _ request: CentralCommand.Request, times: Int = 1) {
    (self.who, self.request, self.times) = (who, request, times)
  }
}

/// Which reports of a peripheral are meant.
package struct PeripheralPattern: Hashable, Sendable {
  /// The raw value is the key in scenarios.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case connected, disconnected, discovered, value, written, notifying, strength
    case connectionFailed = "connection-failed"
    case services = "gatt-services"
    case servicesChanged = "services-changed"
    case requestFailed = "request-failed"
    case readyToWrite = "ready-to-write"

    /// What it is, for people.
    var about: String {
      switch self {
      case .connected: "A connection to a peripheral stands."
      case .disconnected: "A connection ended."
      case .discovered: "All attributes of a peripheral were discovered."
      case .value: "A value was read, or sent by the peripheral."
      case .written: "A value was written, and the peripheral said so."
      case .notifying: "A characteristic was subscribed to, or not any more."
      case .strength: "The strength of a connected peripheral was read."
      case .connectionFailed: "A peripheral could not be connected to."
      case .services: "Services of a peripheral were discovered."
      case .servicesChanged: "A peripheral said that its services changed."
      case .requestFailed: "What was asked of a peripheral was not done."
      case .readyToWrite: "There is room again for what is written without response."
      }
    }
  }
  package var kind: Kind
  package var of: Who
  /// Why a connection ended, or did not come about; `nil`: for whatever reason.
  package var end: LinkEnd?
  package var reason: GATTFailure.Reason?
  package var characteristic: BluetoothUUID?
  package var value: [UInt8]?

  package init(_ kind: Kind, of who: Who) { (self.kind, of) = (kind, who) }

  func matches(_ event: PeripheralReport.Event) -> Bool {
    switch (kind, event) {
    case (.connected, .connected), (.discovered, .discovered), (.written, .written), (.notifying, .notifying),
      (.strength, .strength), (.services, .services), (.servicesChanged, .servicesChanged),
      (.readyToWrite, .readyToWrite):
      true
    case (.disconnected, .disconnected(let end)), (.connectionFailed, .connectionFailed(let end)):
      self.end == nil || self.end == end
    case (.requestFailed, .failed(let failure)): reason == nil || reason == failure.reason
    case (.value, .value(_, let uuid, let bytes, _)):
      (characteristic == nil || characteristic == uuid) && (value == nil || value == bytes)
    default: false
    }
  }

  /// What people read of it.
  var text: String {
    let details = [
      end.map { kebabCase($0.rawValue) }, reason.map { kebabCase($0.rawValue) }, characteristic.map { "\($0)" },
      value.map { PeripheralReport.hex($0) },
    ].compactMap { $0 }
    return kind.rawValue + (details.isEmpty ? "" : " (\(details.joined(separator: " ")))")
  }
}

extension PeripheralDeed {
  /// A deed that is said with the name of an inhabitant alone.
  private static let plain: [(key: String, about: String, request: CentralCommand.Request)] = [
    ("connect", "The engine connects to this peripheral.", .connect),
    ("disconnect", "The engine ends its connection, or the attempt.", .disconnect),
    ("discover", "The engine discovers all attributes of a connected peripheral.", .discover),
    ("read-strength", "The engine asks how strongly a connected peripheral is heard.", .readStrength),
  ]

  private struct Draft: Sendable {
    var who = ""
    var characteristic = BluetoothUUID(short: 0)
    var value: [UInt8] = []
    var hasResponse = true
    var times = 1
  }
  private static let who = Form<String>.name("the name of a peripheral", example: "lamp")
  private static let head: [Field<Draft>] = [
    .required("who", \.who, who, "Which peripheral."),
    .required("characteristic", \.characteristic, .bluetoothUUID, "UUID of a characteristic that was discovered."),
  ]
  private static let one = Form<Draft>.record(Draft(), head)
  private static let write = Form<Draft>.record(
    Draft(),
    head + [
      .key("value", \.value, .value, default: [], "The bytes."),
      .key("response", \.hasResponse, .bool, default: true, "Whether the peripheral is to answer."),
      .key("times", \.times, .integer(1...10_000), default: 1, "So often, one right after the other."),
    ])

  private struct Kind: Sendable {
    var key: String
    var about: String
    var form: Form<Draft>
    var request: @Sendable (Draft) -> CentralCommand.Request
    /// `nil`: it is a request of another kind.
    var draft: @Sendable (CentralCommand.Request) -> Draft?
  }
  private static let kinds: [Kind] = [
    Kind(
      key: "read", about: "The engine reads a value of a connected peripheral.", form: one,
      request: { .read(.characteristic($0.characteristic)) },
      draft: { request in
        guard case .read(.characteristic(let uuid)) = request else { return nil }
        return Draft(characteristic: uuid)
      }),
    Kind(
      key: "write", about: "The engine writes a value of a connected peripheral.", form: write,
      request: { .write(.characteristic($0.characteristic), $0.value, withResponse: $0.hasResponse) },
      draft: { request in
        guard case .write(.characteristic(let uuid), let value, let hasResponse) = request else { return nil }
        return Draft(characteristic: uuid, value: value, hasResponse: hasResponse)
      }),
    Kind(
      key: "subscribe", about: "The engine asks to be sent a value whenever it changes.", form: one,
      request: { .notify(.characteristic($0.characteristic), true) },
      draft: { request in
        guard case .notify(.characteristic(let uuid), true) = request else { return nil }
        return Draft(characteristic: uuid)
      }),
    Kind(
      key: "unsubscribe", about: "The engine asks to be sent a value no more.", form: one,
      request: { .notify(.characteristic($0.characteristic), false) },
      draft: { request in
        guard case .notify(.characteristic(let uuid), false) = request else { return nil }
        return Draft(characteristic: uuid)
      }),
  ]

  /// The keys of a timeline entry that say such a deed.
  static func fields<Root>(
    _ path: any WritableKeyPath<Root, PeripheralDeed?> & Sendable, choice: Choice
  ) -> [Field<Root>] {
    let plain = plain.map { row in
      Field<Root>(
        key: Key(name: row.key, about: row.about, schema: who.schema, choice: choice),
        read: { tree, root, reader in
          if let name = who.read(tree, &reader) { root[keyPath: path] = PeripheralDeed(who: name, row.request) }
        },
        write: { root, _ in
          guard let deed = root[keyPath: path], deed.request == row.request else { return nil }
          return .scalar(deed.who)
        })
    }
    return plain
      + kinds.map { kind in
        Field<Root>(
          key: Key(name: kind.key, about: kind.about, schema: kind.form.schema, choice: choice),
          read: { tree, root, reader in
            if let draft = kind.form.read(tree, &reader) {
              root[keyPath: path] = PeripheralDeed(who: draft.who, kind.request(draft), times: draft.times)
            }
          },
          write: { root, full in
            guard let deed = root[keyPath: path], var draft = kind.draft(deed.request) else { return nil }
            (draft.who, draft.times) = (deed.who, deed.times)
            return kind.form.write(draft, full)
          })
      }
  }

  /// The key that says it.
  var key: String {
    PeripheralDeed.plain.first { $0.request == request }?.key
      ?? PeripheralDeed.kinds.first { $0.draft(request) != nil }?.key ?? ""
  }
  /// Whether the key has the name of the inhabitant alone.
  var isPlain: Bool { PeripheralDeed.plain.contains { $0.request == request } }
}

extension PeripheralPattern.Kind {
  /// The keys of an expectation that name such a report.
  static func fields<Root>(
    _ path: any WritableKeyPath<Root, PeripheralPattern?> & Sendable, choice: Choice
  ) -> [Field<Root>] {
    allCases.map { kind in
      Field<Root>(
        key: Key(name: kind.rawValue, about: kind.about, schema: Form<Who>.who.schema, choice: choice),
        read: { tree, root, reader in
          if let who = Form<Who>.who.read(tree, &reader) { root[keyPath: path] = PeripheralPattern(kind, of: who) }
        },
        write: { root, full in
          guard let pattern = root[keyPath: path], pattern.kind == kind else { return nil }
          return Form<Who>.who.write(pattern.of, full)
        })
    }
  }
}
