public import JSONRPC
public import Time

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
    public let reasons: [Reason]?

    public init(total: Int, errors: Int, reasons: [Reason]? = nil) {
      (self.total, self.errors, self.reasons) = (total, errors, reasons)
    }

    public static let shape = Shape(
      Requests.init(total:errors:reasons:),
      .required("total", \.total, "the number of requests since the start, with this one and invalid ones"),
      .required("errors", \.errors, "the number of requests that ended in an error"),
      .optional("reasons", \.reasons, "the errors by reason")
    )
  }

  /// The number of requests that ended in an error of one reason.
  public struct Reason: ControlObject, Equatable {
    public let reason: String
    public let count: Int

    public init(reason: String, count: Int) { (self.reason, self.count) = (reason, count) }

    public static let shape = Shape(
      Reason.init(reason:count:),
      .required("reason", \.reason, as: .text(maximum: 64), "the reason of the error"),
      .required("count", \.count, "the number of requests since the start")
    )
  }

  /// The numbers of pushes and codes by their final state.
  public struct Approvals: ControlObject, Equatable {
    public let approved: Int
    public let denied: Int
    public let expired: Int
    public let cancelled: Int

    public init(approved: Int, denied: Int, expired: Int, cancelled: Int) {
      (self.approved, self.denied) = (approved, denied)
      (self.expired, self.cancelled) = (expired, cancelled)
    }

    public static let shape = Shape(
      Approvals.init(approved:denied:expired:cancelled:),
      .required("approved", \.approved, "the number that were approved since the start"),
      .required("denied", \.denied, "the number that were denied since the start"),
      .required("expired", \.expired, "the number that expired since the start"),
      .required("cancelled", \.cancelled, "the number that were cancelled since the start")
    )
  }

  /// A platform that the service has contacted or is about to contact.
  public struct Platform: ControlObject, Equatable {
    public let url: String
    public let isReachable: Bool?
    public let lastContact: Timestamp?

    public init(url: String, isReachable: Bool?, lastContact: Timestamp?) {
      (self.url, self.isReachable, self.lastContact) = (url, isReachable, lastContact)
    }

    public static let shape = Shape(
      Platform.init(url:isReachable:lastContact:),
      .required("url", \.url, as: .text(maximum: 8192), "the base URL"),
      .optional("reachable", \.isReachable, "true if the last request reached it; absent before the first"),
      .optional("lastContact", \.lastContact, "the time of the last response")
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
  public let approvals: Approvals?
  public let platforms: [Platform]?
  public let lastBackup: Timestamp?

  public init(
    connections: Int,
    requests: Requests,
    owners: Int,
    notifications: Notifications,
    residentBytes: Int,
    openFiles: Int,
    databaseBytes: Int,
    approvals: Approvals? = nil,
    platforms: [Platform]? = nil,
    lastBackup: Timestamp? = nil
  ) {
    (self.connections, self.requests, self.owners) = (connections, requests, owners)
    (self.notifications, self.databaseBytes) = (notifications, databaseBytes)
    (self.residentBytes, self.openFiles) = (residentBytes, openFiles)
    (self.approvals, self.platforms, self.lastBackup) = (approvals, platforms, lastBackup)
  }

  public static let shape = Shape(
    ServiceFigures.init,
    .required("connections", \.connections, "the number of open connections, with this one"),
    .required("requests", \.requests, "the requests of clients"),
    .required("owners", \.owners, "the number of owners"),
    .required("notifications", \.notifications, "the pushes of platforms"),
    .required("rssBytes", \.residentBytes, "the resident memory of the process in bytes"),
    .required("openFiles", \.openFiles, "the number of open files and sockets"),
    .required("databaseBytes", \.databaseBytes, "the size of the database file in bytes, without WAL"),
    .optional("approvals", \.approvals, "the pushes and codes that ended"),
    .optional("platforms", \.platforms, "the platforms of the owners"),
    .optional("lastBackup", \.lastBackup, "the creation time of the newest backup")
  )
}
