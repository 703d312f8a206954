import Foundation

/// Outputs that would destroy an input or one another, found before any is opened.
///
/// Two paths clash when they lead to one file, through whatever links; a file that is not there yet is known by its
/// folder and name. Two outputs to one pipe or socket, standard output included, clash too: their lines would mix. A
/// device, `/dev/null` or a terminal, takes any number of outputs.
package enum OutputClash {
  /// One output: the option that names it, and its path; `nil`: the option was not given.
  package typealias Named = (option: String, path: String?)

  /// - Parameters:
  ///   - inputs: files that are read, members of folders one by one; `-` is standard input.
  ///   - outputs: in the order of their options.
  ///   - isPrinting: whether standard output is written, too; `nil`: it is unless `--output` is given.
  package static func check(inputs: [String], outputs: [Named], isPrinting: Bool? = nil) throws(OutputFailure) {
    try check(inputs: inputs, outputs: outputs, isPrinting: isPrinting, on: STDOUT_FILENO)
  }

  /// - Parameter descriptor: of standard output.
  static func check(
    inputs: [String], outputs: [Named], isPrinting: Bool?, on descriptor: CInt
  ) throws(OutputFailure) {
    var taken: [(identity: OutputPlace.Identity, name: String)] = []
    let isPrinting = isPrinting ?? !outputs.contains { $0.option == "--output" && $0.path != nil }
    if isPrinting, let identity = OutputPlace.identity(descriptor: descriptor) {
      taken.append((identity, Output.standardName))
    }
    for output in outputs {
      guard let path = output.path, let identity = try OutputPlace(path).identity else { continue }
      if let other = taken.first(where: { $0.identity == identity }) {
        throw OutputFailure("\(output.option) \(path) is the same as \(other.name): each output needs one of its own")
      }
      taken.append((identity, "\(output.option) \(path)"))
    }
    for input in inputs {
      let found =
        input == "-" ? OutputPlace.identity(descriptor: STDIN_FILENO) : OutputPlace.identity(reading: input)
      guard let found, let output = taken.first(where: { $0.identity == found }) else { continue }
      throw OutputFailure("\(output.name) is the input \(input), which would be lost: write to another file")
    }
  }
}
