//! The derive macro `Message` of `freeboard-actors`: a message's label is its variant and the
//! fields that are not marked `#[label(skip)]`.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{
    Attribute, Data, DeriveInput, Error, Fields, GenericParam, Ident, Member, parse_macro_input, parse_quote,
};

/// Implements `freeboard_actors::Message` for a struct or an enum.
///
/// The label is the name of the struct or the variant, followed by the fields in parentheses, as
/// `Debug` writes them, without those marked `#[label(skip)]`. Values that `Debug` does not tell
/// apart are the same to the model. Each type parameter has to be
/// `Clone + Debug + Send + 'static`, as the message is.
#[proc_macro_derive(Message, attributes(label))]
pub fn derive_message(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let mut input = parse_macro_input!(input as DeriveInput);
    for parameter in &mut input.generics.params {
        if let GenericParam::Type(parameter) = parameter {
            parameter.bounds.push(parse_quote!(::core::clone::Clone));
            parameter.bounds.push(parse_quote!(::core::fmt::Debug));
            parameter.bounds.push(parse_quote!(::core::marker::Send));
            parameter.bounds.push(parse_quote!('static));
        }
    }
    expand(&input).unwrap_or_else(Error::into_compile_error).into()
}

fn expand(input: &DeriveInput) -> Result<TokenStream, Error> {
    let name = &input.ident;
    no_label(&input.attrs)?;
    let arms = match &input.data {
        Data::Struct(data) => vec![arm(&quote!(Self), name, &data.fields)?],
        Data::Enum(data) => {
            let arms = data.variants.iter().map(|variant| {
                let ident = &variant.ident;
                no_label(&variant.attrs)?;
                arm(&quote!(Self::#ident), ident, &variant.fields)
            });
            arms.collect::<Result<_, _>>()?
        }
        Data::Union(_) => return Err(Error::new(name.span(), "a union has no label: use an enum")),
    };
    let body = if arms.is_empty() { quote!(match *self {}) } else { quote!(match self { #(#arms)* }) };
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics ::freeboard_actors::Message for #name #arguments #bounds {
            fn label(&self) -> ::std::string::String { #body }
        }
    })
}

/// The arm of the match that labels one variant.
fn arm(path: &TokenStream, name: &Ident, fields: &Fields) -> Result<TokenStream, Error> {
    let text = name.unraw().to_string();
    let (mut patterns, mut kept) = (Vec::new(), Vec::new());
    for (member, field) in fields.members().zip(fields) {
        if is_skipped(&field.attrs)? {
            continue;
        }
        let binding = match &member {
            Member::Named(name) => format_ident!("field_{}", name),
            Member::Unnamed(index) => format_ident!("field_{}", index.index),
        };
        patterns.push(quote!(#member: #binding));
        kept.push(binding);
    }
    Ok(quote! {
        #path { #(#patterns,)* .. } => {
            ::freeboard_actors::label_of(#text, &[#(#kept as &dyn ::std::fmt::Debug),*])
        }
    })
}

/// Refuses `#[label(skip)]` where there is no field: it would skip nothing.
fn no_label(attributes: &[Attribute]) -> Result<(), Error> {
    match attributes.iter().find(|attribute| attribute.path().is_ident("label")) {
        Some(attribute) => Err(Error::new_spanned(attribute, "only fields are marked so")),
        None => Ok(()),
    }
}

/// Returns `true` if a field is marked `#[label(skip)]`.
fn is_skipped(attributes: &[Attribute]) -> Result<bool, Error> {
    let mut skipped = false;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("label")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("skip") {
                skipped = true;
                Ok(())
            } else {
                Err(meta.error("unknown: only `#[label(skip)]` is"))
            }
        })?;
    }
    Ok(skipped)
}
