//! A shop and a customer.

use freeboard_actors::{Address, Delivery, Message, Network, Out, Role};

#[derive(Clone, Debug, Message)]
pub enum Trade {
    Order(#[label(skip)] u32),
    Parcel,
}

pub struct Shop;

impl Role for Shop {
    type State = ();
    type Message = Trade;
    type Timer = ();

    fn start(&self, _: &mut Out<Trade, ()>) {}

    fn on(&self, _: &mut (), from: Address, message: &Trade, out: &mut Out<Trade, ()>) {
        if let Trade::Order(_) = message {
            out.send(from, Trade::Parcel);
        }
    }
}

pub struct Customer {
    pub shop: Address,
    pub impatient: bool,
}

impl Role for Customer {
    type State = ();
    type Message = Trade;
    type Timer = ();

    fn start(&self, out: &mut Out<Trade, ()>) {
        out.send(self.shop, Trade::Order(1));
    }

    fn on(&self, _: &mut (), _: Address, _: &Trade, out: &mut Out<Trade, ()>) {
        for order in 0..1 + u32::from(self.impatient) {
            out.send(self.shop, Trade::Order(order));
        }
    }
}

pub fn network(impatient: bool) -> Network<Trade> {
    let mut network = Network::new("trade", Delivery::Mailboxes);
    let (customer, shop) = (network.actor("customer"), network.actor("shop"));
    network.play(customer, Customer { shop, impatient }).play(shop, Shop);
    network
}
