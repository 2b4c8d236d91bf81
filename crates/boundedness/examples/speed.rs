//! speed
use cfsm_core::families::line_of_servers;
use ilp_encode::*;
fn main(){ let a:Vec<usize>=std::env::args().skip(1).map(|x|x.parse().unwrap()).collect();
 let sys=line_of_servers(a[0],a[1],a[2]); eprintln!("{} states {} transitions {} messages {}", sys.states.len(), sys.transitions.len(), sys.messages.len(), sys.buffers.len());
 let o=Options{search: if std::env::var("EXACT").is_ok() {Search::Exact} else {Search::Float}, ..Options::default()};
 let cone=Cone::new(&sys,&boundedness::Boundedness,&o).unwrap(); let mut pool=Pool::default();
 let t=std::time::Instant::now();
 let g=growth(&cone,&mut pool,&o).unwrap(); eprintln!("growth {:?}", t.elapsed());
 let mut bs=Bounds::new(&cone,&g,&mut pool,&o);
 for b in sys.buffers.ids() { let t=std::time::Instant::now(); let p=bs.of(b,&o).unwrap(); eprintln!("bound {b:?} {} {:?} msgs {} states {}",p.bound(),t.elapsed(),p.messages.len(),p.states.len()); }
}
