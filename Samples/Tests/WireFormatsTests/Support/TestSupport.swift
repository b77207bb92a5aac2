/// Every file of these tests may use the shared helpers.
@_exported import TestSupport
