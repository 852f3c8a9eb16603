public import JSONRPC

public struct ServiceMetrics: ControlMethod {
  public static let name = "service.metrics"
  public static let access = AccessClass.service
  public static let summary = "tells how much the service does and takes"
  public static let errors: [RPCError] = [.permissionDenied]
  public static let parameters = Shape(ServiceMetrics.init)
  public static var example: Example<Self> { Example(ServiceMetrics(), Samples.figures) }

  public typealias Result = ServiceFigures

  public init() {}
}

/// How much the service does and takes.
public struct ServiceFigures: ControlObject {
  public struct Requests: ControlObject {
    public let total: Int
    public let errors: Int

    public init(total: Int, errors: Int) { (self.total, self.errors) = (total, errors) }

    public static let shape = Shape(
      Requests.init(total:errors:),
      .required("total", \.total, "the requests since the start, with this one and with what was none"),
      .required("errors", \.errors, "how many of them ended in an error")
    )
  }

  public struct Notifications: ControlObject {
    public let pending: Int
    public let total: Int

    public init(pending: Int, total: Int) { (self.pending, self.total) = (pending, total) }

    public static let shape = Shape(
      Notifications.init(pending:total:),
      .required("pending", \.pending, "the pushes that wait for a decision, of all owners"),
      .required(
        "total",
        \.total,
        "the pushes that were ever stored; it goes on after a restart and does not fall when pushes are removed"
      )
    )
  }

  public let connections: Int
  public let requests: Requests
  public let owners: Int
  public let notifications: Notifications
  public let residentBytes: Int
  public let openFiles: Int
  public let databaseBytes: Int

  public init(
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

  public static let shape = Shape(
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
