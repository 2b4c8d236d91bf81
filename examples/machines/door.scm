/* verdict: unbounded
   A door that is opened and closed by one side; the other side may shut it for good, and nobody may be listening. */
scm door :

nb_channels = 2 ;
parameters :
real open ;
real close ;
real shut ;

automaton visitor :
initial : 0
state 0 :
to 1 : when true , 0 ! open ;
state 1 :
to 0 : when true , 0 ! close ;
to 0 : when true , 1 ? shut ;

automaton keeper :
initial : 0
state 0 :
to 1 : when true , 0 ? open ;
state 1 :
to 0 : when true , 0 ? close ;
to 0 : when true , 1 ! shut ;
