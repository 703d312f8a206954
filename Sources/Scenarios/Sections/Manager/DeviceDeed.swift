package import RollcallPrimitives

/// What the application wants of a device that the manager told it of.
package struct DeviceDeed: Hashable, Sendable {
  /// The name of an inhabitant.
  package var who: String
  /// The number of a request about an app is that of its entry in the timeline.
  package var command: DeviceCommand

  package init(who: String, _ command: DeviceCommand) { (self.who, self.command) = (who, command) }
}

extension DeviceDeed {
  /// A deed that is said with the name of an inhabitant alone.
  private static let plain: [(key: String, about: String, command: DeviceCommand)] = [
    ("connect-device", "The application connects to this device.", .connect),
    ("disconnect-device", "The application ends the connection, or the attempt.", .disconnect),
    ("cancel-pairing", "The user does not agree to the pairing.", .cancelPairing),
  ]

  private struct Draft: Sendable {
    var who = ""
    var app = ""
    var content: String?
    var key = ""
    var text: String?
    var json: String?
  }
  private static let who = Form<String>.name("the name of a device", example: "tv")
  private static let device = Field<Draft>.required("who", \.who, who, "Which device.")
  private static let app = Field<Draft>.required(
    "app", \.app, .text("the name of an app", countMaximum: 1_000), "The name under which the device knows it.")
  private static let content = Field<Draft>.optional(
    "content", \.content, .text("a text", countMaximum: 8_192), "What it is to show, in its own words.")

  private static let message = Choice(name: "message")

  private struct Kind: Sendable {
    var key: String
    var about: String
    var form: Form<Draft>
    var command: @Sendable (Draft) -> DeviceCommand
    /// `nil`: it is another kind of command.
    var draft: @Sendable (DeviceCommand) -> Draft?
  }

  private static let one = Form<Draft>.record(Draft(), [device, app])
  private static let kinds: [Kind] = [
    Kind(
      key: "type-key", about: "The user types what the device shows.",
      form: .record(
        Draft(),
        [device, .required("key", \.key, .text("a key", countMaximum: 1_000), "What they type; it may be wrong.")]),
      command: { .pair(key: $0.key) },
      draft: { command in if case .pair(let key) = command { Draft(key: key) } else { nil } }),
    Kind(
      key: "launch", about: "The application launches an app on a device that is ready.",
      form: .record(Draft(), [device, app, content]),
      command: { .app(AppRequest(0, .launch(app: $0.app, content: $0.content))) },
      draft: { command in
        guard case .app(let request) = command, case .launch(let app, let content) = request.deed else { return nil }
        return Draft(app: app, content: content)
      }),
    Kind(
      key: "launch-web-app", about: "The application launches a web app on a device that is ready.",
      form: .record(Draft(), [device, app, content]),
      command: { .app(AppRequest(0, .launchWebApp(app: $0.app, content: $0.content))) },
      draft: { command in
        guard case .app(let request) = command, case .launchWebApp(let app, let content) = request.deed else {
          return nil
        }
        return Draft(app: app, content: content)
      }),
    Kind(
      key: "join-web-app", about: "The application goes on with a web app that runs, by its id.", form: one,
      command: { .app(AppRequest(0, .joinWebApp(app: $0.app))) },
      draft: { command in
        guard case .app(let request) = command, case .joinWebApp(let app) = request.deed else { return nil }
        return Draft(app: app)
      }),
    Kind(
      key: "ask-app", about: "The application asks how an app is.", form: one,
      command: { .app(AppRequest(0, .state(app: $0.app))) },
      draft: { command in
        guard case .app(let request) = command, case .state(let app) = request.deed else { return nil }
        return Draft(app: app)
      }),
    Kind(
      key: "join-app", about: "The application goes on with the session of an app that it launched last.", form: one,
      command: { .app(AppRequest(0, .join(.latest(app: $0.app)))) },
      draft: { command in
        guard case .app(let request) = command, case .join(let session) = request.deed else { return nil }
        return Draft(app: session.app)
      }),
    Kind(
      key: "close-app", about: "The application closes the app that it launched last under this name.", form: one,
      command: { .app(AppRequest(0, .close(.latest(app: $0.app)))) },
      draft: { command in
        guard case .app(let request) = command, case .close(let session) = request.deed else { return nil }
        return Draft(app: session.app)
      }),
    Kind(
      key: "tell-web-app", about: "The application says something to a web app that it has joined.",
      form: .record(
        Draft(),
        [
          device, app,
          .optional("text", \.text, .text("a text", countMaximum: 16_384), choice: message, "A text."),
          .optional(
            "json", \.json, .text("a text", countMaximum: 16_384), choice: message,
            "A value of JSON, written as in '{\"room\": 7}'; what is none is refused in the run."),
        ]),
      command: { draft in
        let message: WebAppMessage = draft.text.map { .text($0) } ?? .json(draft.json ?? "")
        return .app(AppRequest(0, .send(.latest(app: draft.app), message)))
      },
      draft: { command in
        guard case .app(let request) = command, case .send(let session, let message) = request.deed else { return nil }
        switch message {
        case .text(let text): return Draft(app: session.app, text: text)
        case .json(let text): return Draft(app: session.app, json: text)
        }
      }),
    Kind(
      key: "leave-web-app", about: "The application leaves a web app that it has joined, which goes on.", form: one,
      command: { .app(AppRequest(0, .leave(.latest(app: $0.app)))) },
      draft: { command in
        guard case .app(let request) = command, case .leave(let session) = request.deed else { return nil }
        return Draft(app: session.app)
      }),
  ]

  /// The keys of an entry of the timeline that say such a deed.
  static func fields<Root>(
    _ path: any WritableKeyPath<Root, DeviceDeed?> & Sendable, choice: Choice
  ) -> [Field<Root>] {
    plain.map { one in
      Field<Root>(
        key: Key(name: one.key, about: one.about, schema: who.schema, choice: choice),
        read: { tree, root, reader in
          if let name = who.read(tree, &reader) { root[keyPath: path] = DeviceDeed(who: name, one.command) }
        },
        write: { root, full in
          guard let deed = root[keyPath: path], deed.command == one.command else { return nil }
          return who.write(deed.who, full)
        })
    }
      + kinds.map { kind in
        Field<Root>(
          key: Key(name: kind.key, about: kind.about, schema: kind.form.schema, choice: choice),
          read: { tree, root, reader in
            if let draft = kind.form.read(tree, &reader) {
              root[keyPath: path] = DeviceDeed(who: draft.who, kind.command(draft))
            }
          },
          write: { root, full in
            guard let deed = root[keyPath: path], var draft = kind.draft(deed.command) else { return nil }
            draft.who = deed.who
            return kind.form.write(draft, full)
          })
      }
  }

  /// The key that says it.
  package var key: String {
    plain(command) ?? DeviceDeed.kinds.first { $0.draft(command) != nil }?.key ?? ""
  }

  private func plain(_ command: DeviceCommand) -> String? {
    DeviceDeed.plain.first { $0.command == command }?.key
  }

  /// The same command, with the number of its entry in the timeline.
  func numbered(_ number: Int) -> DeviceCommand {
    guard case .app(var request) = command else { return command }
    request.number = UInt32(number)
    return .app(request)
  }
}
