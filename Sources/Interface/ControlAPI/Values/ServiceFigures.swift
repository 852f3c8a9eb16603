/// How much the service does and takes.
package struct ServiceFigures: ControlObject {
  package struct Traffic: Sendable {
    /// The connections that are open.
    package let connections: Int
    /// The requests since the start.
    package let requests: Int
    /// How many of them failed.
    package let errors: Int

    package init(connections: Int, requests: Int, errors: Int) {
      (self.connections, self.requests, self.errors) = (connections, requests, errors)
    }
  }

  package struct Stock: Sendable {
    package let owners: Int
    /// The pushes that wait for a decision.
    package let pending: Int
    /// The pushes that were ever stored.
    package let pushes: Int
    package let databaseBytes: Int

    package init(owners: Int, pending: Int, pushes: Int, databaseBytes: Int) {
      (self.owners, self.pending, self.pushes) = (owners, pending, pushes)
      self.databaseBytes = databaseBytes
    }
  }

  /// What the process takes of the machine.
  package struct Process: Sendable {
    package let residentBytes: Int
    package let openFiles: Int

    package init(residentBytes: Int, openFiles: Int) {
      (self.residentBytes, self.openFiles) = (residentBytes, openFiles)
    }
  }

  package struct Requests: ControlObject {
    package let total: Int
    package let errors: Int

    package static let shape = Shape(
      Requests.init(total:errors:),
      .required("total", \.total, "the requests since the start, with this one and with what was none"),
      .required("errors", \.errors, "how many of them ended in an error")
    )
  }

  package struct Notifications: ControlObject {
    package let pending: Int
    package let total: Int

    package static let shape = Shape(
      Notifications.init(pending:total:),
      .required("pending", \.pending, "the pushes that wait for a decision, of all owners"),
      .required(
        "total",
        \.total,
        "the pushes that were ever stored; it goes on after a restart and does not fall when pushes are removed"
      )
    )
  }

  package let connections: Int
  package let requests: Requests
  package let owners: Int
  package let notifications: Notifications
  package let residentBytes: Int
  package let openFiles: Int
  package let databaseBytes: Int

  package static let shape = Shape(
    ServiceFigures.init(
      connections:
      requests:
      owners:
      notifications:
      residentBytes:
      openFiles:
      databaseBytes:
    ),
    .required("connections", \.connections, "the connections that are open, with the one that asks"),
    .required("requests", \.requests, "what clients asked"),
    .required("owners", \.owners, "everybody who has something here"),
    .required("notifications", \.notifications, "what platforms sent"),
    .required("rssBytes", \.residentBytes, "the memory of the process that is resident"),
    .required("openFiles", \.openFiles, "the files and sockets that the process has open"),
    .required("databaseBytes", \.databaseBytes, "the size of the database file, without its log")
  )
}

extension ServiceFigures {
  package init(traffic: Traffic, stock: Stock, process: Process) {
    self.init(
      connections: traffic.connections,
      requests: Requests(total: traffic.requests, errors: traffic.errors),
      owners: stock.owners,
      notifications: Notifications(pending: stock.pending, total: stock.pushes),
      residentBytes: process.residentBytes,
      openFiles: process.openFiles,
      databaseBytes: stock.databaseBytes
    )
  }
}
