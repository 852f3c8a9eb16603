package import JSONRPC

package struct ServiceMetrics: ControlMethod {
  package static let name = "service.metrics"
  package static let access = AccessClass.service
  package static let summary = "tells how much the service does and takes"
  package static let errors: [RPCError] = [.permissionDenied]
  package static let parameters = Shape(ServiceMetrics.init)
  package static var example: Example<Self> { Example(ServiceMetrics(), Samples.figures) }

  package typealias Result = ServiceFigures

  package init() {}
}

/// How much the service does and takes.
package struct ServiceFigures: ControlObject {
  package struct Requests: ControlObject {
    package let total: Int
    package let errors: Int

    package init(total: Int, errors: Int) { (self.total, self.errors) = (total, errors) }

    package static let shape = Shape(
      Requests.init(total:errors:),
      .required("total", \.total, "the requests since the start, with this one and with what was none"),
      .required("errors", \.errors, "how many of them ended in an error")
    )
  }

  package struct Notifications: ControlObject {
    package let pending: Int
    package let total: Int

    package init(pending: Int, total: Int) { (self.pending, self.total) = (pending, total) }

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

  package init(
    connections: Int,
    requests: Requests,
    owners: Int,
    notifications: Notifications,
    residentBytes: Int,
    openFiles: Int,
    databaseBytes: Int
  ) {
    (self.connections, self.requests, self.owners) = (connections, requests, owners)
    (self.notifications, self.databaseBytes) = (notifications, databaseBytes)
    (self.residentBytes, self.openFiles) = (residentBytes, openFiles)
  }

  package static let shape = Shape(
    ServiceFigures.init,
    .required("connections", \.connections, "the connections that are open, with the one that asks"),
    .required("requests", \.requests, "what clients asked"),
    .required("owners", \.owners, "everybody who has something here"),
    .required("notifications", \.notifications, "what platforms sent"),
    .required("rssBytes", \.residentBytes, "the memory of the process that is resident"),
    .required("openFiles", \.openFiles, "the files and sockets that the process has open"),
    .required("databaseBytes", \.databaseBytes, "the size of the database file, without its log")
  )
}
