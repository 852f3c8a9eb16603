import EventLoop

@EventLoop
private struct KeptShelf {
  let load: @EventLoop (Tenant, Archive) throws -> Void
  let save: @EventLoop (Tenant, Archive) throws -> Void

  init<Thing: Stored & Codable>(_ path: ReferenceWritableKeyPath<Tenant, Shelf<Thing>>) {
    load = { tenant, archive in try archive.load(&tenant[keyPath: path]) }
    save = { tenant, archive in try archive.save(&tenant[keyPath: path]) }
  }
}

extension Tenant {
  private static let shelves = [
    KeptShelf(\.signOnPolicies.others),
    KeptShelf(\.users), KeptShelf(\.pairingKeys), KeptShelf(\.trustedDevices),
    KeptShelf(\.devices), KeptShelf(\.notifications.shelf), KeptShelf(\.authentications),
    KeptShelf(\.authenticationCodes), KeptShelf(\.receivedLogs),
    KeptShelf(\.factors),
    KeptShelf(\.replays.used), KeptShelf(\.sessions), KeptShelf(\.families), KeptShelf(\.accessTokens),
    KeptShelf(\.refreshTokens),
  ]

  func restore(from archive: Archive) throws {
    for shelf in Self.shelves { try shelf.load(self, archive) }
    notifications.findPending()
  }

  /// Writes what has changed since the last time; what it wrote is on the disk when it returns.
  func save(to archive: Archive) throws {
    var kept = seed
    kept.signOnPolicy = signOnPolicies.standard
    (kept.lead, kept.notifications) = (clock.lead, notifications)
    (kept.otherSignOnPolicies, kept.users) = ([], [])
    try archive.transaction {
      try archive.save(kept)
      for shelf in Self.shelves { try shelf.save(self, archive) }
    }
  }
}
