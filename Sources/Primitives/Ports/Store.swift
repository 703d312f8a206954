// The store: what a machine keeps beyond its own life, under names. The manager of a scenario keeps devices there.

/// What a store says.
public enum StoreSignal: Hashable, Sendable {
  /// The value of a key was put or deleted.
  case stored(key: String)
  /// What a key holds; `nil`: nothing.
  case value(key: String, [UInt8]?)
  case failed(key: String, StoreFailure)
}

extension StoreSignal {
  /// What it is about.
  public var key: String {
    switch self {
    case .stored(let key), .value(let key, _), .failed(let key, _): key
    }
  }
}

public enum StoreFailure: String, Hashable, Sendable, CaseIterable { case full, damaged, denied }

/// What a machine wants of its store.
public enum StoreEffect: Hashable, Sendable {
  case put(key: String, [UInt8])
  case get(key: String)
  case delete(key: String)
}

extension StoreSignal: PortValue {
  public static var port: PortNumber { .store }
  public static var verbs: [String] { ["store"] }

  public func fold(into digest: inout Digest) {
    switch self {
    case .stored(let key):
      digest.combine(1)
      digest.combine(key)
    case .value(let key, let bytes):
      digest.combine(2, bytes == nil ? 1 : 2)
      digest.combine(key)
      if let bytes { digest.combine(bytes) }
    case .failed(let key, let failure):
      digest.combine(3)
      digest.combine(key)
      digest.combine(failure.rawValue)
    }
  }

  public func write(to words: inout WordWriter) {
    words.add("store")
    switch self {
    case .stored(let key):
      words.add("stored")
      words.name(key)
    case .value(let key, let bytes):
      words.add(bytes == nil ? "nothing" : "value")
      words.name(key)
      if let bytes { words.rest(bytes) }
    case .failed(let key, let failure):
      words.add("failed")
      words.name(key)
      words.add(failure.rawValue)
    }
  }

  public init(verb: Substring, from words: inout WordReader) throws(WordError) {
    let event = try words.next("what became of a key")
    let key = try words.name("a key")
    switch event {
    case "stored": self = .stored(key: key)
    case "nothing": self = .value(key: key, nil)
    case "value": self = .value(key: key, try words.bytes())
    case "failed": self = .failed(key: key, try words.value(StoreFailure.self, "full, damaged or denied"))
    default: throw words.error("stored, nothing, value or failed")
    }
  }
}

extension StoreEffect: PortValue {
  public static var port: PortNumber { .store }
  public static var verbs: [String] { ["store"] }

  public func fold(into digest: inout Digest) {
    switch self {
    case .put(let key, let bytes):
      digest.combine(1)
      digest.combine(key)
      digest.combine(bytes)
    case .get(let key):
      digest.combine(2)
      digest.combine(key)
    case .delete(let key):
      digest.combine(3)
      digest.combine(key)
    }
  }

  public func write(to words: inout WordWriter) {
    words.add("store")
    switch self {
    case .put(let key, let bytes):
      words.add("put")
      words.name(key)
      words.rest(bytes)
    case .get(let key):
      words.add("get")
      words.name(key)
    case .delete(let key):
      words.add("delete")
      words.name(key)
    }
  }

  public init(verb: Substring, from words: inout WordReader) throws(WordError) {
    let wish = try words.next("put, get or delete")
    switch wish {
    case "put":
      let key = try words.name("a key")
      self = .put(key: key, try words.bytes())
    case "get": self = .get(key: try words.name("a key"))
    case "delete": self = .delete(key: try words.name("a key"))
    default: throw words.error("put, get or delete")
    }
  }
}
