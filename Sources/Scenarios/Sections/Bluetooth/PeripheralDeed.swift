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
