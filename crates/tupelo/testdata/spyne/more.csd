
* A server of the library spyne; the address is in the binding.
DEFINE WEBSERVICE(ORDERS) GROUP(ORD) PIPELINE(FXREQ) WSBIND(/fx/place.wsbind)
DEFINE TRANSACTION(ORDC) GROUP(ORD) PROGRAM(ORDC)
