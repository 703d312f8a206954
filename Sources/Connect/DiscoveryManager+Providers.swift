import RollcallDoors

// Providers of the application's own.
extension DiscoveryManager {
  /// Adds a provider of the application's own; it is started with the manager, or at once while that searches. One that was
  /// added already stays as it is.
  public func addProvider(_ provider: some DiscoveryProvider) {
    let starts = memory.withLock { memory in
      if memory.providers.contains(where: { $0.provider === provider }) { return false }
      memory.providers.append((provider, nil))
      return memory.isSearching
    }
    if starts { begin(provider) }
  }

  /// The provider is stopped, and what it found is gone.
  public func removeProvider(_ provider: some DiscoveryProvider) {
    let entry = memory.withLock { memory -> (provider: any DiscoveryProvider, sink: DiscoveryProviderSink?)? in
      guard let place = memory.providers.firstIndex(where: { $0.provider === provider }) else { return nil }
      return memory.providers.remove(at: place)
    }
    if let sink = entry?.sink { end(provider, sink) }
  }

  func begin(_ provider: any DiscoveryProvider) {
    let sink = DiscoveryProviderSink(self)
    memory.withLock { memory in
      guard let place = memory.providers.firstIndex(where: { $0.provider === provider }) else { return }
      memory.providers[place].sink = sink
    }
    provider.startDiscovery(reportingTo: sink)
  }

  func end(_ provider: any DiscoveryProvider, _ sink: DiscoveryProviderSink) {
    for id in sink.close() { host?.ask(.withdraw(id)) }
    provider.stopDiscovery()
  }
}
