extension ServiceNames {
  func write(to words: inout WordWriter) {
    words.name(usn)
    words.name(target)
    words.name(location)
    words.add("of")
    words.name(device)
  }

  init(from words: inout WordReader) throws(WordError) {
    let usn = try words.name("a USN")
    let target = try words.name("an ST")
    let location = try words.optionalName("a LOCATION, or -")
    try words.word("of")
    self.init(device: try words.name("the name of a device"), usn: usn, target: target, location: location)
  }
}
