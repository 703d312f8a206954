import ArgumentParser

struct ExamineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "examine", abstract: "Examine a live device, control point or responder by asking, clause by clause.",
    discussion: """
      Says what it will send before it sends anything, and sends it on the named interface only. Exit code 1 where a \
      must was broken.
      """,
    subcommands: [ExamineDeviceCommand.self, ExamineControlPointCommand.self, ExamineResponderCommand.self])
}
