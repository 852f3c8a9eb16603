package import JSON

/// How much the service does and takes.
package struct ServiceFigures: ControlValue {
  package struct Traffic: Sendable {
    /// The connections that are open.
    package let connections: Int
    /// The requests since the start.
    package let requests: Int
    /// How many of them were answered by an error.
    package let errors: Int

    package init(connections: Int, requests: Int, errors: Int) {
      (self.connections, self.requests, self.errors) = (connections, requests, errors)
    }
  }

  package struct Stock: Sendable {
    package let owners: Int
    /// The pushes that wait for an answer.
    package let pending: Int
    /// The pushes that were ever stored.
    package let pushes: Int
    /// The bytes of the database file.
    package let databaseBytes: Int

    package init(owners: Int, pending: Int, pushes: Int, databaseBytes: Int) {
      (self.owners, self.pending, self.pushes) = (owners, pending, pushes)
      self.databaseBytes = databaseBytes
    }
  }

  /// What the process takes of the machine.
  package struct Process: Sendable {
    /// The bytes in memory.
    package let residentBytes: Int
    package let openFiles: Int

    /// What the process takes.
    package init(residentBytes: Int, openFiles: Int) {
      (self.residentBytes, self.openFiles) = (residentBytes, openFiles)
    }
  }

  private let traffic: Traffic
  private let stock: Stock
  private let process: Process

  /// How much the service does and takes.
  package init(traffic: Traffic, stock: Stock, process: Process) {
    (self.traffic, self.stock, self.process) = (traffic, stock, process)
  }

  package static let schema = Schema.object([
    .required("connections", .count, "the connections that are open, with the one that asks"),
    .required(
      "requests",
      .object([
        .required("total", .count, "the requests since the start, with this one and with what was none"),
        .required("errors", .count, "how many of them ended in an error"),
      ])
    ),
    .required("owners", .count, "everybody who has something here"),
    .required(
      "notifications",
      .object([
        .required("pending", .count, "the pushes that wait for an answer, of all owners"),
        .required(
          "total",
          .count,
          "the pushes that were ever stored; it goes on after a restart and does not fall when pushes are removed"
        ),
      ])
    ),
    .required("rssBytes", .count, "the memory of the process that is resident"),
    .required("openFiles", .count, "the files and sockets that the process has open"),
    .required("databaseBytes", .count, "the size of the database file, without its log"),
  ])

  package var json: JSON {
    [
      "connections": .int(traffic.connections),
      "requests": ["total": .int(traffic.requests), "errors": .int(traffic.errors)],
      "owners": .int(stock.owners),
      "notifications": ["pending": .int(stock.pending), "total": .int(stock.pushes)],
      "rssBytes": .int(process.residentBytes), "openFiles": .int(process.openFiles),
      "databaseBytes": .int(stock.databaseBytes),
    ]
  }
}
