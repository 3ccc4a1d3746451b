"""A server of the public library spyne: its description goes into the file that
is named, the port to standard output, and it serves until its input ends."""

import sys
import threading
from decimal import Decimal
from wsgiref.simple_server import WSGIRequestHandler, make_server

from spyne import Application, Array, ComplexModel, Fault, Integer, ServiceBase, Unicode, rpc
from spyne import Decimal as Money
from spyne.interface.wsdl import Wsdl11
from spyne.protocol.soap import Soap11
from spyne.server.wsgi import WsgiApplication

NAMESPACE = "urn:example:orders"
PRICES = {"NAIL": Decimal("0.25"), "NUT": Decimal("1.10")}


class Line(ComplexModel):
    __namespace__ = NAMESPACE
    item = Unicode(max_len=8, min_occurs=1, nillable=False)
    quantity = Integer(ge=0, le=9999, min_occurs=1, nillable=False)


class Bill(ComplexModel):
    __namespace__ = NAMESPACE
    customer = Unicode(max_len=20, min_occurs=1, nillable=False)
    total = Money(9, 2, min_occurs=1, nillable=False)
    articles = Integer(ge=0, le=99, min_occurs=1, nillable=False)


class Orders(ServiceBase):
    @rpc(
        Unicode(max_len=20, min_occurs=1, nillable=False),
        Array(Line.customize(min_occurs=0, max_occurs=5), min_occurs=1, nillable=False),
        _returns=Bill.customize(min_occurs=1, nillable=False),
    )
    def place(ctx, customer, articles):
        total = Decimal(0)
        for line in articles:
            if line.item not in PRICES:
                raise Fault("Client.Item", "There is no " + line.item)
            total += PRICES[line.item] * line.quantity
        return Bill(customer=customer.upper(), total=total, articles=len(articles))


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


application = Application(
    [Orders],
    NAMESPACE,
    name="Orders",
    in_protocol=Soap11(validator="lxml"),
    out_protocol=Soap11(),
)
server = make_server("127.0.0.1", 0, WsgiApplication(application), handler_class=Quiet)
description = Wsdl11(application.interface)
description.build_interface_document("http://127.0.0.1:%d/" % server.server_port)
with open(sys.argv[1], "wb") as file:
    file.write(description.get_interface_document())
print(server.server_port, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
