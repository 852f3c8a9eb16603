public import JSONRPC

public struct ServiceMetrics: ControlMethod {
  public static let name = "service.metrics"
  public static let access = AccessClass.service
  public static let summary = "returns counters and resource usage of the service"
  public static let errors: [RPCError] = [.permissionDenied]
  public static let parameters = Shape(ServiceMetrics.init)
  public static var example: Example<Self> { Example(ServiceMetrics(), Samples.figures) }

  public typealias Result = ServiceFigures

  public init() {}
}

/// Counters and resource usage of the service.
public struct ServiceFigures: ControlObject {
  public struct Requests: ControlObject {
    public let total: Int
    public let errors: Int

    public init(total: Int, errors: Int) { (self.total, self.errors) = (total, errors) }

    public static let shape = Shape(
      Requests.init(total:errors:),
      .required("total", \.total, "the number of requests since the start, with this one and invalid ones"),
      .required("errors", \.errors, "the number of requests that ended in an error")
    )
  }

  public struct Notifications: ControlObject {
    public let pending: Int
    public let total: Int

    public init(pending: Int, total: Int) { (self.pending, self.total) = (pending, total) }

    public static let shape = Shape(
      Notifications.init(pending:total:),
      .required("pending", \.pending, "the number of pending pushes of all owners"),
      .required(
        "total",
        \.total,
        "the number of pushes ever stored; restarts and removed pushes do not decrease it"
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
    .required("connections", \.connections, "the number of open connections, with this one"),
    .required("requests", \.requests, "the requests of clients"),
    .required("owners", \.owners, "the number of owners"),
    .required("notifications", \.notifications, "the pushes of platforms"),
    .required("rssBytes", \.residentBytes, "the resident memory of the process in bytes"),
    .required("openFiles", \.openFiles, "the number of open files and sockets"),
    .required("databaseBytes", \.databaseBytes, "the size of the database file in bytes, without WAL")
  )
}
