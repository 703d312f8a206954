// Processes: a program that a machine starts, what it prints, and its end. An examiner of control points starts one.

/// What becomes of a program that was started.
public enum ProcessSignal: Hashable, Sendable {
  /// A line without its end.
  case line([UInt8], isError: Bool)
  case ended(ProcessEnd)
}

public enum ProcessEnd: Hashable, Sendable {
  case exit(code: Int32)
  case signal(Int32)
  /// It could not be started.
  case notStarted(errno: Int32)
}

/// What a machine wants of a program.
public enum ProcessEffect: Hashable, Sendable {
  /// The program's path and its arguments.
  case start([String])
  /// Sends it this signal.
  case signal(Int32)
}

extension ProcessSignal: PortValue {
  public static var port: PortNumber { .process }
  public static var verbs: [String] { ["process"] }

  public func fold(into digest: inout Digest) {
    switch self {
    case .line(let bytes, let isError):
      digest.combine(1, isError ? 2 : 1)
      digest.combine(bytes)
    case .ended(.exit(let code)): digest.combine(2, UInt64(UInt32(bitPattern: code)))
    case .ended(.signal(let number)): digest.combine(3, UInt64(UInt32(bitPattern: number)))
    case .ended(.notStarted(let errno)): digest.combine(4, UInt64(UInt32(bitPattern: errno)))
    }
  }

  public func write(to words: inout WordWriter) {
    words.add("process")
    switch self {
    case .line(let bytes, let isError):
      words.add(isError ? "error" : "output")
      words.rest(bytes)
    case .ended(.exit(let code)):
      words.add("exit")
      words.add(code)
    case .ended(.signal(let number)):
      words.add("killed")
      words.add(number)
    case .ended(.notStarted(let errno)):
      words.add("not-started")
      words.add(errno)
    }
  }

  public init(verb: Substring, from words: inout WordReader) throws(WordError) {
    switch try words.next("what became of a process") {
    case "output": self = .line(try words.bytes(), isError: false)
    case "error": self = .line(try words.bytes(), isError: true)
    case "exit": self = .ended(.exit(code: try words.number("an exit code")))
    case "killed": self = .ended(.signal(try words.number("the number of a signal")))
    case "not-started": self = .ended(.notStarted(errno: try words.number("the number of an error")))
    default: throw words.error("output, error, exit, killed or not-started")
    }
  }
}

extension ProcessEffect: PortValue {
  public static var port: PortNumber { .process }
  public static var verbs: [String] { ["process"] }

  public func fold(into digest: inout Digest) {
    switch self {
    case .start(let arguments):
      digest.combine(1, UInt64(arguments.count))
      for argument in arguments { digest.combine(argument) }
    case .signal(let number): digest.combine(2, UInt64(UInt32(bitPattern: number)))
    }
  }

  public func write(to words: inout WordWriter) {
    words.add("process")
    switch self {
    case .start(let arguments):
      words.add("start")
      for argument in arguments { words.name(argument) }
    case .signal(let number):
      words.add("signal")
      words.add(number)
    }
  }

  public init(verb: Substring, from words: inout WordReader) throws(WordError) {
    switch try words.next("start or signal") {
    case "start":
      var arguments: [String] = []
      while !words.rest.isEmpty { arguments.append(try words.name("an argument")) }
      self = .start(arguments)
    case "signal": self = .signal(try words.number("the number of a signal"))
    default: throw words.error("start or signal")
    }
  }
}
