/// Words that bring a clock, dice, tasks, threads, environment, files, output or libm into a pure room.
enum PurityRule {
  /// Refused wherever they stand.
  private static let names: Set<String> = [
    "ContinuousClock", "SuspendingClock", "DispatchTime", "DispatchQueue", "DispatchSource", "DispatchGroup",
    "DispatchSemaphore", "DispatchWallTime", "clock_gettime", "gettimeofday", "mach_absolute_time", "CFAbsoluteTime",
    "Thread", "pthread_create", "TaskGroup", "withTaskGroup", "withThrowingTaskGroup", "withUnsafeContinuation",
    "withCheckedContinuation", "AsyncStream", "AsyncSequence", "AsyncThrowingStream", "await", "nanosleep", "usleep",
    "SystemRandomNumberGenerator", "arc4random", "arc4random_uniform", "drand48", "srand", "getrandom", "ProcessInfo",
    "getenv", "setenv", "CommandLine", "FileManager", "FileHandle", "fopen", "fwrite", "fputs", "NSLog",
  ]
  /// Refused where they are called and belong to nobody: `print(`, but not `printer.print(` or `func print(`.
  private static let calls: Set<String> = [
    "print", "debugPrint", "dump", "readLine", "Hasher", "abs_time", "sleep", "rand", "random",
    "log", "log2", "log10", "log1p", "exp", "exp2", "exp10", "expm1", "sin", "cos", "tan", "asin", "acos", "atan",
    "atan2", "sinh", "cosh", "tanh", "pow", "cbrt", "hypot", "erf", "erfc", "tgamma", "lgamma", "sqrt",
  ]
  /// Refused as a member that is called without a generator.
  private static let draws: Set<String> = ["random", "shuffled", "shuffle", "randomElement"]
  /// Files of `Capture` that say why they reach outside may use these.
  private static let outsideNames: Set<String> = ["getenv", "fopen", "fwrite", "fputs"]

  static func offences(in file: SourceFile) -> [Offence] {
    let tokens = file.tokens
    let isOutside = file.room == "Capture" && ImportRule.isOutside(file)
    func text(_ index: Int) -> String { tokens.indices.contains(index) ? tokens[index].text : "" }
    var offences: [Offence] = []
    func refuse(_ index: Int, _ what: String) {
      offences.append(Offence(path: file.path, line: tokens[index].line, what: what))
    }
    for index in tokens.indices {
      let word = text(index)
      let before = text(index - 1)
      let after = text(index + 1)
      let isFree = before != "." && before != "func"
      if names.contains(word), !(isOutside && outsideNames.contains(word)) {
        refuse(index, word)
      } else if calls.contains(word), after == "(", isFree {
        refuse(index, word + "(")
      } else if draws.contains(word), before == ".", after == "(", !usesGenerator(tokens, index + 1) {
        refuse(index, ".\(word)( without using:")
      } else if word == "hashValue", before == "." {
        refuse(index, ".hashValue")
      } else if word == "Date", isFree, after == "(" || after == "." {
        refuse(index, "Date" + after)
      } else if word == "time", isFree, after == "(", text(index + 2) == "nil" {
        refuse(index, "time(nil")
      } else if word == "Task", isFree, ["{", "(", ".", "<"].contains(after) {
        refuse(index, "Task" + after)
      } else if word == "async", before != ".", after != ":" {
        refuse(index, "async")
      } else if word == "actor", before != ".", after.first?.isUppercase == true {
        refuse(index, "actor")
      }
    }
    return offences
  }

  /// Whether the call whose parenthesis opens at `opening` names its generator.
  private static func usesGenerator(_ tokens: [Token], _ opening: Int) -> Bool {
    var depth = 0
    for index in opening..<tokens.count {
      switch tokens[index].text {
      case "(", "[", "{": depth += 1
      case ")", "]", "}": depth -= 1
      case "using" where depth == 1: return true
      default: break
      }
      if depth == 0 { return false }
    }
    return false
  }
}
